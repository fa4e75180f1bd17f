// SPDX-License-Identifier: Apache-2.0

/// A playing stream of another application.
public struct OtherStream: Hashable, Sendable {
    /// The sound server's number for it; reused after a restart of the sound server.
    public var index: UInt32
    /// Distinguishes it from a later stream with the same number: client, process, application.
    public var identity: String
    /// PulseAudio's `media.role`; nil without one.
    public var role: String?
    public var isCorked: Bool
    public var isMuted: Bool
    /// Volume of each channel in PulseAudio's units: 65536 is full, and the amplitude is its cube. Empty: cannot be
    /// set.
    public var volume: [UInt32]

    public init(
        index: UInt32, identity: String, role: String?, isCorked: Bool = false, isMuted: Bool = false,
        volume: [UInt32] = [65_536, 65_536]
    ) {
        self.index = index
        self.identity = identity
        self.role = role
        self.isCorked = isCorked
        self.isMuted = isMuted
        self.volume = volume
    }

    /// Short sounds, calls and screen readers: an exclusive player does not silence them.
    var isOfTheSystem: Bool { ["phone", "event", "a11y", "animation", "test"].contains(role) }
    var isSpeech: Bool { role == "a11y" || role == "speech" }
    /// More than a beep.
    var isMusic: Bool { !isOfTheSystem && !isSpeech }

    public func has(_ value: OtherStreamChange.Value) -> Bool {
        switch value {
        case .muted(let isMuted): self.isMuted == isMuted
        case .volume(let volume): self.volume == volume
        }
    }

    mutating func set(_ value: OtherStreamChange.Value) {
        switch value {
        case .muted(let isMuted): self.isMuted = isMuted
        case .volume(let volume): self.volume = volume
        }
    }
}

public struct OtherStreamChange: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case muted(Bool)
        case volume([UInt32])
    }

    public var index: UInt32
    public var value: Value
    /// The value to be replaced. A stream with another value is not changed. nil: an undo. It cancels a change of the same stream
    /// that waits; otherwise it is made unconditionally.
    public var expected: Value?

    public init(index: UInt32, value: Value, expected: Value? = nil) {
        self.index = index
        self.value = value
        self.expected = expected
    }
}

/// The other streams at the sound server.
public struct OtherStreams: Hashable, Sendable {
    /// Streams of other programs, without the server's own modules.
    public var streams: [OtherStream]
    public var hasInput: Bool
    /// Identifies this run of the sound server, in which stream numbers are unique.
    public var server: UInt32

    public init(streams: [OtherStream] = [], hasInput: Bool = false, server: UInt32 = 0) {
        self.streams = streams
        self.hasInput = hasInput
        self.server = server
    }
}

public enum OtherStreamsReport: Sendable {
    /// nil: the sound server is not available.
    case streams(OtherStreams?)
    /// Whether a change was made. The streams on which that depended were reported before; nil if they are unknown.
    case decided(OtherStreamChange, isMade: Bool)
}

/// Observes and changes other programs' streams. The session owns this contract, so that the policy is tested without a
/// sound server.
public protocol OtherStreamsWatch: AnyObject, Sendable {
    /// `handler` is called on the output's thread, after each change of the streams and once for each change with an expected
    /// value, unless that is cancelled. It must not block.
    func watchOtherStreams(_ handler: @escaping @Sendable (OtherStreamsReport) -> Void)
    /// Returns at once.
    func changeOtherStreams(_ changes: [OtherStreamChange])
}
