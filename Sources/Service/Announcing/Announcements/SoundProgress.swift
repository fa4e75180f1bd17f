// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Whether what was begun is heard, and since when not.
struct SoundProgress: Equatable {
    /// Seconds for a sound that names no `timeout`: one of files, and one that a server may have to make first.
    static let patience = 5.0
    static let remotePatience = 30.0
    /// Seconds that the longest one is heard: an address may never end.
    static let longest = 600.0

    enum State: Equatable {
        case silent(since: MonotonicTime)
        case heard
    }

    private(set) var state: State
    /// When it was heard first.
    private(set) var began: MonotonicTime?

    private let patience: Double

    init(_ sound: Sound, now: MonotonicTime) {
        state = .silent(since: now)
        patience = sound.patience
    }

    var isHeard: Bool { state == .heard }

    /// True when it is heard for the first time.
    mutating func heard(_ now: MonotonicTime) -> Bool {
        state = .heard
        guard began == nil else { return false }
        began = now
        return true
    }

    mutating func fellSilent(_ now: MonotonicTime) {
        if state == .heard { state = .silent(since: now) }
    }

    /// Since now it is waited for again.
    mutating func restart(_ now: MonotonicTime) { state = .silent(since: now) }

    /// When it has failed, unless something changes.
    var deadline: MonotonicTime? {
        let end = began?.advanced(bySeconds: Self.longest)
        guard case .silent(let since) = state else { return end }
        return [since.advanced(bySeconds: patience), end].compactMap(\.self).min()
    }

    /// Of its deadline.
    var failure: PlaybackError {
        if isHeard { return PlaybackError(.tooLong, "It is longer than \(Int(Self.longest)) s.") }
        let what = began == nil ? "It was not heard within" : "It has been silent for"
        let seconds = Int(exactly: patience).map(String.init) ?? String(patience)
        return PlaybackError(.timedOut, "\(what) \(seconds) s.")
    }
}
