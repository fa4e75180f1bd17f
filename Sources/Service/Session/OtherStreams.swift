// SPDX-License-Identifier: Apache-2.0

/// A playing stream of another application.
public struct OtherStream: Hashable, Sendable {
    /// The sound server's number for it; given again after the server was restarted.
    public var index: UInt32
    /// Distinguishes it from another stream that has the number later: client, process, application.
    public var identity: String
    public var application: String
    /// As PulseAudio's `media.role`; nil when it has none.
    public var role: String?
    public var isCorked: Bool
    public var isMuted: Bool
    /// Of each channel, in PulseAudio's units: 65536 is full, amplitude goes with the third power. Empty: cannot be set.
    public var volume: [UInt32]

    public init(
        index: UInt32, identity: String, application: String, role: String? = nil, isCorked: Bool = false,
        isMuted: Bool = false, volume: [UInt32] = [65_536, 65_536]
    ) {
        self.index = index
        self.identity = identity
        self.application = application
        self.role = role
        self.isCorked = isCorked
        self.isMuted = isMuted
        self.volume = volume
    }

    /// Short sounds, calls and what reads the screen aloud: not what an exclusive player has to silence.
    var isOfTheSystem: Bool { ["phone", "event", "a11y", "animation", "test"].contains(role) }
    var isSpeech: Bool { role == "a11y" || role == "speech" }
    /// Not only a beep.
    var isMusic: Bool { !isOfTheSystem && !isSpeech }
}

public struct OtherStreamChange: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case muted(Bool)
        case volume([UInt32])
    }

    public var index: UInt32
    public var value: Value
}

/// What is around us at the sound server.
public struct OtherStreams: Hashable, Sendable {
    /// Streams of others; none of ours, none of the server's own modules.
    public var streams: [OtherStream]
    public var hasInput: Bool
    /// Names this run of the sound server, in which stream numbers are unique.
    public var server: UInt32

    public init(streams: [OtherStream] = [], hasInput: Bool = false, server: UInt32 = 0) {
        self.streams = streams
        self.hasInput = hasInput
        self.server = server
    }
}

/// Sees other applications' streams and changes them. Owned here, so that the policy can be tested without a sound server.
public protocol OtherStreamsWatch: AnyObject, Sendable {
    /// `handler` is called from the output's thread after each change, nil when the sound server is away; it must not block.
    func watchOtherStreams(_ handler: @escaping @Sendable (OtherStreams?) -> Void)
    /// Returns at once. What is gone by then is passed over.
    func changeOtherStreams(_ changes: [OtherStreamChange])
}
