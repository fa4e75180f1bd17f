// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The source of an interruption, or of its end.
public enum InterruptionSource: String, CaseIterable, Sendable {
    /// Another application's stream, such as a phone call: the sound server requests silence.
    case soundServer = "sound-server"
    /// Another program, through the API.
    case client
    /// The machine suspends.
    case sleep
    /// An announcement of this server that pauses the music.
    case announcement
    /// The screen is locked, and the session's category is silent then.
    case lock
    /// Only at the end: the user resumes despite the interruption.
    case user
    /// Only at the end: the interruption lasted too long.
    case timeout
}

/// The reported start or end of an interruption.
public struct InterruptionNotice: Hashable, Sendable {
    public var isBeginning: Bool
    public var source: InterruptionSource
    /// At the end: whether the music may resume.
    public var shouldResume: Bool

    public init(isBeginning: Bool, source: InterruptionSource, shouldResume: Bool = true) {
        self.isBeginning = isBeginning
        self.source = source
        self.shouldResume = shouldResume
    }
}

/// The present interruptions. They nest: the sound returns when the last one ends.
///
/// Then the user's goal (`PlayerGoal`) applies, which an interruption does not change.
struct InterruptionHolders {
    private struct Holder {
        var count: Int
        var since: MonotonicTime
        /// A person muted the stream; the sound server requested nothing.
        var isMute = false
    }

    private var holders: [InterruptionSource: Holder] = [:]
    private var mayResume = true
    /// Only announcements of this server have interrupted: the music resumes whatever the settings for interruptions are.
    private(set) var wereOnlyAnnouncements = false

    var isActive: Bool { !holders.isEmpty }

    var holdsMute: Bool { holders[.soundServer]?.isMute ?? false }

    func holds(_ source: InterruptionSource) -> Bool { holders[source] != nil }

    /// Returns true for the first interruption. Those of clients are counted; each other source has at most one.
    mutating func begin(_ source: InterruptionSource, isMute: Bool = false, now: MonotonicTime) -> Bool {
        let isFirst = holders.isEmpty
        if isFirst {
            mayResume = true
            wereOnlyAnnouncements = true
        }
        if source != .announcement { wereOnlyAnnouncements = false }
        let count = source == .client ? holders[source]?.count ?? 0 : 0
        holders[source] = Holder(count: count + 1, since: now, isMute: isMute)
        return isFirst
    }

    /// Returns whether the music may resume; nil while another interruption is active, or if there was none.
    mutating func end(_ source: InterruptionSource, shouldResume: Bool) -> Bool? {
        guard let holder = holders[source] else { return nil }
        if holder.count > 1 {
            holders[source]?.count -= 1
        } else {
            holders[source] = nil
        }
        // An interruption that forbids resuming decides, even if another one ends last.
        mayResume = mayResume && shouldResume
        return holders.isEmpty ? mayResume : nil
    }

    /// Ends all interruptions of one source, which cannot end them itself any more.
    mutating func endAll(_ source: InterruptionSource, shouldResume: Bool) -> Bool? {
        guard holders[source] != nil else { return nil }
        holders[source]?.count = 1
        return end(source, shouldResume: shouldResume)
    }

    mutating func endAll() { holders = [:] }

    /// The start of the last interruption by a client. Only clients may fail to end theirs.
    var clientsSince: MonotonicTime? { holders[.client]?.since }
}
