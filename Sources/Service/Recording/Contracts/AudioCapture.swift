// SPDX-License-Identifier: Apache-2.0

/// Captures sound. The recorder owns this contract, so that it is tested with a scripted source.
public protocol AudioCapture: Sendable {
    /// Starts opening a source, without waiting. Frames go into `ring`, as float32 at the requested rate and channels.
    /// `report` is called on a thread of the capture and must not block. nil if opening is impossible, which is reported
    /// too.
    func open(
        _ settings: RecordingSettings, into ring: CaptureRing, report: @escaping @Sendable (CaptureEvent) -> Void
    ) -> (any CaptureStream)?
    /// The available sources; blocks until the sound server has answered, 3 s at most.
    func sources() throws(RecordingError) -> [CaptureSource]
}

/// A source that is open or opening.
public protocol CaptureStream: AnyObject, Sendable {
    /// No frame captured during a pause is ever written.
    func setPaused(_ isPaused: Bool)
    /// Blocks until writing has ended.
    func close()
}

/// The source to record if none is named.
public enum SourcePreference: Hashable, Sendable {
    /// The sound server's default.
    case standard
    /// The microphone of a headset, if there is one, as it is nearest to the mouth.
    case headset
}

public enum CaptureEvent: Sendable {
    /// The source runs; `source` is the server's name for it.
    case started(source: String)
    /// There are frames in the ring.
    case frames
    /// The source could not be opened, or was lost. No more reports follow.
    case failed(RecordingError)
}

public struct CaptureSource: Hashable, Sendable {
    public var id: String
    public var description: String
    /// It repeats the sound of an output.
    public var isMonitor: Bool
    public var isDefault: Bool
    /// It belongs to a headset.
    public var isHeadset: Bool

    public init(id: String, description: String, isMonitor: Bool, isDefault: Bool, isHeadset: Bool) {
        self.id = id
        self.description = description
        self.isMonitor = isMonitor
        self.isDefault = isDefault
        self.isHeadset = isHeadset
    }
}
