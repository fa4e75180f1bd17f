// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Playback

/// Treatment of the music during an announcement.
public enum MusicTreatment: Hashable, Sendable {
    /// Quieter by this many decibels (0 or less).
    case duck(decibels: Double)
    /// Silent; afterwards it resumes at the same position.
    case pause

    /// Factor of the music's amplitude.
    public var gain: Double {
        switch self {
        case .duck(let decibels): pow(10, decibels / 20)
        case .pause: 1
        }
    }

    /// The treatment that satisfies both.
    static func stronger(_ left: MusicTreatment?, _ right: MusicTreatment?) -> MusicTreatment? {
        switch (left, right) {
        case (.pause, _), (_, .pause): .pause
        case (.duck(let one), .duck(let other)): .duck(decibels: min(one, other))
        case (let treatment?, nil), (nil, let treatment?): treatment
        case (nil, nil): nil
        }
    }
}

/// A higher priority suspends a lower one. There are three, which limits the number of suspended announcements.
public enum AnnouncementPriority: String, CaseIterable, Comparable, Sendable {
    case low, normal, high

    public static func < (left: AnnouncementPriority, right: AnnouncementPriority) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
}

public struct AnnouncementRequest: Hashable, Sendable {
    public var sound: Sound
    public var music: MusicTreatment
    public var priority: AnnouncementPriority
    /// Id of a device; nil: the music's output.
    public var output: String?
    /// A client chose `output`: it is heard there or not at all.
    var isPinned = false

    public init(
        _ sound: Sound, music: MusicTreatment = .duck(decibels: -20), priority: AnnouncementPriority = .normal,
        output: String? = nil
    ) {
        self.sound = sound
        self.music = music
        self.priority = priority
        self.output = output
    }
}

/// Id of an announcement or effect. Ids rise, and are unique within a run of the server.
public struct SoundID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    /// Parses a `description`; nil for any other text.
    public init?(_ text: String) {
        guard text.first == "s", let number = UInt64(text.dropFirst(), radix: 36),
            SoundID(number: number).description == text
        else { return nil }
        self.number = number
    }

    public var description: String { "s" + String(number, radix: 36) }

    public static func < (left: SoundID, right: SoundID) -> Bool { left.number < right.number }
}

/// An accepted announcement that has not ended.
public struct Announcement: Hashable, Identifiable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case waiting, loading, playing
        /// Suspended by one of higher priority; it resumes afterwards.
        case setAside = "set-aside"
    }

    public var id: SoundID
    /// With the effective volume and output.
    public var request: AnnouncementRequest
    public var state = State.waiting
}

/// How an announcement or an effect ended.
public struct SoundEnd: Hashable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        case finished
        /// A client ended it.
        case cancelled
        /// Another sound took its place.
        case replaced
        /// The server had no free voice, and an announcement of the highest priority, of any player, took this one's.
        case displaced
        case failed
    }

    public var reason: Reason
    /// The cause of a failure.
    public var error: PlaybackError?

    public init(_ reason: Reason, _ error: PlaybackError? = nil) {
        self.reason = reason
        self.error = error
    }
}

/// The answer to the request for an announcement.
public struct AnnouncementOutcome: Hashable, Sendable {
    public var announcement: Announcement
    /// nil: it is playing or waiting.
    public var end: SoundEnd?
}

/// A change of an announcement. `ended` comes once, and is the last one.
public struct AnnouncementChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case began
        case setAside
        case resumed
        case ended(SoundEnd)
    }

    public var announcement: Announcement
    public var kind: Kind

    public init(_ announcement: Announcement, _ kind: Kind) {
        self.announcement = announcement
        self.kind = kind
    }
}
