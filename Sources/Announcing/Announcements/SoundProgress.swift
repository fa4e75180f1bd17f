// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Threading

/// Whether what was begun is heard, and since when not.
struct SoundProgress: Equatable {
    /// What does not begin, or does not go on, within this many seconds has failed.
    static let patience = 5.0

    enum State: Equatable {
        case silent(since: MonotonicTime)
        case heard
    }

    private(set) var state: State
    /// When it was heard first.
    private(set) var began: MonotonicTime?

    init(now: MonotonicTime) { state = .silent(since: now) }

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

    var deadline: MonotonicTime? {
        if case .silent(let since) = state { since.advanced(bySeconds: Self.patience) } else { nil }
    }

    func failure(uri: String) -> PlaybackError {
        let isRemote = uri.hasPrefix("http:") || uri.hasPrefix("https:")
        let what = began == nil ? "It was not heard within" : "It has been silent for"
        return PlaybackError(isRemote ? .network : .timedOut, "\(what) \(Int(Self.patience)) s.")
    }
}
