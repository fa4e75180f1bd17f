// SPDX-License-Identifier: Apache-2.0

/// Brings sound in. Owned here so that the recorder is tested whole with a scripted source.
public protocol AudioCapture: Sendable {
    /// Begins to open a source, without waiting. Frames go into `ring`, float32 at the rate and with the channels that
    /// were asked for; `report` is called from a thread of the capture's own and must not block.
    func open(
        _ request: CaptureRequest, into ring: CaptureRing, report: @escaping @Sendable (CaptureEvent) -> Void
    ) -> any CaptureStream
    /// The sources there are; blocks until the sound server has answered, 3 s at most.
    func sources() throws(RecordingError) -> [CaptureSource]
}

/// A source that is open, or about to be.
public protocol CaptureStream: AnyObject, Sendable {
    /// No frame that is heard between the two is ever written.
    func setPaused(_ isPaused: Bool)
    /// Blocks until nothing is written any more.
    func close()
}

/// Which source is recorded where none is named.
public enum SourcePreference: Hashable, Sendable {
    /// The sound server's default.
    case standard
    /// The microphone of a headset, where there is one: it is nearest to the mouth.
    case headset
}

public struct CaptureRequest: Hashable, Sendable {
    public var source: String?
    public var preference = SourcePreference.standard
    public var sampleRate: Int
    public var channelCount: Int
}

public enum CaptureEvent: Sendable {
    /// It runs; the source by the server's name for it.
    case started(source: String)
    /// There are frames in the ring.
    case frames
    /// It could not be opened, or was lost: nothing more comes.
    case failed(RecordingError)
}

public struct CaptureSource: Hashable, Sendable {
    public var id: String
    public var description: String
    /// It gives back what an output plays.
    public var isMonitor: Bool
    public var isDefault: Bool
    /// It is worn on the head.
    public var isHeadset: Bool

    public init(id: String, description: String, isMonitor: Bool, isDefault: Bool, isHeadset: Bool = false) {
        self.id = id
        self.description = description
        self.isMonitor = isMonitor
        self.isDefault = isDefault
        self.isHeadset = isHeadset
    }
}
