// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// A client's request for a rendered file.
public struct RenderOrder: Sendable {
    public enum Source: Sendable {
        case items([ItemRequest])
        /// The player's queue, from its beginning.
        case queue
        case mix([MixInput])
    }

    public struct MixInput: Hashable, Sendable {
        public var uri: String
        /// dB
        public var gain: Double

        public init(uri: String, gain: Double) {
            self.uri = uri
            self.gain = gain
        }
    }

    public var source: Source
    public var container = RecordingSettings.Container.wav
    /// Applies the player's present speed, pitch and effects.
    public var hasEffects = true
    /// Start in seconds, counted over all items.
    public var start = 0.0
    /// Seconds; nil renders everything.
    public var duration: Double?

    public init(_ source: Source) { self.source = source }
}

/// All parameters of a rendering.
struct RenderPlan: Sendable {
    enum Source: Sendable {
        /// In sequence; `inOrder`: tracks of one album keep their album order.
        case sequence([ItemDraft], inOrder: Bool)
        case mix([(item: ItemDraft, gain: Double)])
    }

    /// Maximum number of items in a job.
    static let mostItems = 10_000

    var source: Source
    var container: RecordingSettings.Container
    var hasEffects: Bool
    /// The player's speed, pitch and effects; defaults without effects.
    var settings: PlayerSettings
    var start: Double
    var duration: Double?
    /// Seconds of overlap between items.
    var crossfade = 0.0
    /// Leaves out items that cannot be opened.
    var skipsFaults = false
}

/// A render job as clients see it.
public struct RenderJob: Hashable, Sendable {
    public enum Status: String, CaseIterable, Sendable {
        case queued, running, completed, failed
    }

    /// The cause of a failure.
    public struct Fault: Error, Hashable {
        public var code: String
        /// A sentence.
        public var message: String
    }

    public let id: String
    /// The id of its player.
    public let player: String
    public let container: RecordingSettings.Container
    public let hasEffects: Bool
    /// Milliseconds since the Unix epoch.
    public let created: Int64
    public internal(set) var status = Status.queued
    /// 0...1
    public internal(set) var progress = 0.0
    /// For `failed`.
    public internal(set) var fault: Fault?
    public internal(set) var skipped = SkippedFaults<Skipped>()
    /// For `completed`.
    public internal(set) var file: File?

    /// An item that could not be opened.
    public struct Skipped: Hashable, Sendable {
        /// Index among the items of the job.
        public var index: Int
        public var fault: Fault
    }

    public struct File: Hashable, Sendable {
        /// Its name in the directory.
        public var name: String
        /// Bytes.
        public var size: UInt64
        /// Seconds.
        public var duration: Double
        /// Milliseconds since the Unix epoch.
        public var completed: Int64
    }
}
