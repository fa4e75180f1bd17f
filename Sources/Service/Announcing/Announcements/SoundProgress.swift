// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// The audibility of a started sound: heard, or silent since some time.
struct SoundProgress: Equatable {
    /// Default `timeout` in seconds: of files, and of addresses, where a server may have to generate the sound first.
    static let patience = 5.0
    static let remotePatience = 30.0
    /// Longest duration in seconds, as an address may never end.
    static let longest = 600.0

    enum State: Equatable {
        case silent(since: MonotonicTime)
        case heard
    }

    private(set) var state: State
    /// Time of its first sound.
    private(set) var began: MonotonicTime?

    private let patience: Double

    init(_ sound: Sound, now: MonotonicTime) {
        state = .silent(since: now)
        patience = sound.patience
    }

    var isHeard: Bool { state == .heard }

    /// True at its first sound.
    mutating func heard(_ now: MonotonicTime) -> Bool {
        state = .heard
        guard began == nil else { return false }
        began = now
        return true
    }

    mutating func fellSilent(_ now: MonotonicTime) {
        if state == .heard { state = .silent(since: now) }
    }

    mutating func restart(_ now: MonotonicTime) { state = .silent(since: now) }

    /// Time at which it is too long.
    private var end: MonotonicTime? { began?.advanced(bySeconds: Self.longest) }

    /// Time at which it fails if nothing changes.
    var deadline: MonotonicTime? {
        guard case .silent(let since) = state else { return end }
        return [since.advanced(bySeconds: patience), end].compactMap(\.self).min()
    }

    /// The error at its deadline.
    var failure: PlaybackError {
        if let end, end == deadline { return PlaybackError(.tooLong, "It is longer than \(Int(Self.longest)) s.") }
        let sentence = began == nil ? "It was not heard within" : "It has been silent for"
        let seconds = Int(exactly: patience).map(String.init) ?? String(patience)
        return PlaybackError(.timedOut, "\(sentence) \(seconds) s.")
    }
}
