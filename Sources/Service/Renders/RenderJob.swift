// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// What a client wants to have as a file.
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
    public var container: RecordingSettings.Container
    /// With the player's speed, pitch and effects as they are set now.
    public var hasEffects: Bool
    /// Seconds into the whole.
    public var start: Double
    /// Seconds; nil renders everything.
    public var duration: Double?

    public init(
        _ source: Source, _ container: RecordingSettings.Container = .wav, hasEffects: Bool = true, start: Double = 0,
        duration: Double? = nil
    ) {
        self.source = source
        self.container = container
        self.hasEffects = hasEffects
        self.start = start
        self.duration = duration
    }
}

/// All that a rendering needs to know.
struct RenderPlan: Sendable {
    enum Source: Sendable {
        /// One after another; `inOrder`: in the order of their album, as far as they are of one.
        case sequence([ItemDraft], inOrder: Bool)
        case mix([(item: ItemDraft, gain: Double)])
    }

    /// Items of one job.
    static let mostItems = 10_000

    var source: Source
    var container: RecordingSettings.Container
    var hasEffects: Bool
    /// The player's: speed, pitch and effects, none of them without effects.
    var settings: PlayerSettings
    var start: Double
    var duration: Double?
    /// Seconds between items.
    var crossfade = 0.0
    /// Leaves out what cannot be opened.
    var skipsFaults = false
}

/// A rendering as clients see it.
public struct RenderJob: Hashable, Sendable {
    public enum Status: String, CaseIterable, Sendable {
        case queued, running, completed, failed
    }

    /// Why it failed.
    public struct Fault: Error, Hashable {
        public var code: String
        /// A sentence.
        public var message: String
    }

    public let id: String
    /// The id of the player that it belongs to.
    public let player: String
    public let container: RecordingSettings.Container
    public let hasEffects: Bool
    /// Milliseconds since the Unix epoch.
    public let created: Int64
    public internal(set) var status = Status.queued
    /// 0...1
    public internal(set) var progress = 0.0
    /// Of `failed`.
    public internal(set) var fault: Fault?
    public internal(set) var skipped = SkippedFaults<Skipped>()
    /// Of `completed`.
    public internal(set) var file: File?

    /// An item that could not be opened.
    public struct Skipped: Hashable, Sendable {
        /// Among the items of the job.
        public var index: Int
        public var fault: Fault
    }

    public struct File: Hashable, Sendable {
        /// In the directory.
        public var name: String
        /// Bytes.
        public var size: UInt64
        /// Seconds.
        public var duration: Double
        /// Milliseconds since the Unix epoch.
        public var completed: Int64
    }
}
