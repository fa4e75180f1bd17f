// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The source of an interruption, or of its end.
public enum InterruptionSource: String, CaseIterable, Sendable {
    /// Another application's stream, as a phone call: PulseAudio asks ours to be silent.
    case soundServer = "sound-server"
    /// Another program, through the API.
    case client
    /// The machine goes to sleep.
    case sleep
    /// An announcement of this server, which asked for the music to be paused.
    case announcement
    /// The screen is locked, and the session's category obeys that.
    case lock
    /// Only as the end of an interruption: the user plays on regardless.
    case user
    /// Only as an end: the source of the interruption has not come back in time.
    case timeout
}

/// A beginning or an end, as it was reported.
public struct InterruptionNotice: Hashable, Sendable {
    public var isBeginning: Bool
    public var source: InterruptionSource
    /// Of an end: the interrupter leaves the sound in a state in which music may go on.
    public var shouldResume: Bool

    public init(isBeginning: Bool, source: InterruptionSource, shouldResume: Bool = true) {
        self.isBeginning = isBeginning
        self.source = source
        self.shouldResume = shouldResume
    }
}

/// The present interruptions. They nest: the sound comes back when the last one has ended.
///
/// Whether the music goes on then is not remembered here: it is the user's last wish (`PlayerGoal`), which an interruption
/// does not touch. A user who had paused before, or pauses meanwhile, has that wish; a request to uncork changes nothing.
struct InterruptionHolders {
    private struct Holder {
        var count: Int
        var since: MonotonicTime
        /// Somebody has muted the stream, without a request of the sound server.
        var isMute = false
    }

    private var holders: [InterruptionSource: Holder] = [:]
    private var mayResume = true
    /// Nobody but our own announcements has had the sound: what was heard before is heard again, whatever is usual after
    /// interruptions.
    private(set) var wereOnlyAnnouncements = false

    var isActive: Bool { !holders.isEmpty }

    var holdsMute: Bool { holders[.soundServer]?.isMute ?? false }

    func holds(_ source: InterruptionSource) -> Bool { holders[source] != nil }

    /// True when it is the first one. Clients count each; the sound server, the lock and sleep know only one.
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

    /// Whether music may go on, once nobody has the sound any more; nil while somebody has, or nobody had.
    mutating func end(_ source: InterruptionSource, shouldResume: Bool) -> Bool? {
        guard let holder = holders[source] else { return nil }
        if holder.count > 1 {
            holders[source]?.count -= 1
        } else {
            holders[source] = nil
        }
        // One that asks for silence afterwards decides, even if another ends last.
        mayResume = mayResume && shouldResume
        return holders.isEmpty ? mayResume : nil
    }

    /// Ends all of one source, as when it cannot end them itself any more.
    mutating func endAll(_ source: InterruptionSource, shouldResume: Bool) -> Bool? {
        guard holders[source] != nil else { return nil }
        holders[source]?.count = 1
        return end(source, shouldResume: shouldResume)
    }

    mutating func endAll() { holders = [:] }

    /// Since when clients have had the sound without a word: a program that was interrupted itself never ends it. All
    /// others are known to end.
    var clientsSince: MonotonicTime? { holders[.client]?.since }
}
