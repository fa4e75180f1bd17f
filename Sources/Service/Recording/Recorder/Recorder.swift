// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The recorder: a handle for any thread. Its loop has a thread of its own, which starts with the first use.
public final class Recorder: Sendable {
    struct Environment {
        let capture: any AudioCapture
        let store: any RecordingStore
        let refusal: @Sendable () -> String?
        let play: @Sendable (String) -> Void
    }

    public enum Event: Sendable {
        /// The state or the last result changed.
        case status(RecordingStatus)
        /// One entry for each channel, every tenth of a second of sound while metering is on; the last one is silence.
        case levels(id: String, [ChannelLevel])
    }

    public typealias Started = (status: RecordingStatus, isNew: Bool)

    public let store: any RecordingStore
    private let capture: any AudioCapture
    private let published: Published<RecordingStatus, Event>
    private let loop: LazyLoop<RecorderMessage>

    /// - Parameters:
    ///   - refusal: why recording is not permitted now; nil if it is. Must not block.
    ///   - play: plays a finished recording, if its settings request that; the argument is its address.
    public init(
        capture: any AudioCapture, store: any RecordingStore, refusal: @escaping @Sendable () -> String?,
        play: @escaping @Sendable (String) -> Void
    ) {
        let environment = Environment(capture: capture, store: store, refusal: refusal, play: play)
        (self.capture, self.store) = (capture, store)
        let published = Published<RecordingStatus, Event>(RecordingStatus())
        self.published = published
        loop = LazyLoop("recorder") {
            $0.refuse(RecordingError($1))
        } run: {
            RecorderLoop(environment, $0, published).run()
        }
    }

    /// The newest state, with the present duration.
    public var status: RecordingStatus { published.value }

    public func sources() throws(RecordingError) -> [CaptureSource] { try capture.sources() }

    /// `observer` is called on the recorder's thread, in order, after the state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (Event) -> Void) { published.observe(observer) }

    /// Starts a recording with valid settings, or resumes a paused one; changes nothing while one runs. `isNew`: a recording
    /// was started.
    /// Replies come within 4 s, on the recorder's thread.
    public func start(_ settings: RecordingSettings, reply: @escaping RecordingReply<Started>) {
        loop.post(.start(settings, reply))
    }

    public func pause(reply: @escaping RecordingReply<RecordingStatus>) { loop.post(.pause(reply)) }
    public func stop(reply: @escaping RecordingReply<RecordingStatus>) { loop.post(.stop(reply)) }

    public func setMetering(_ isOn: Bool, reply: @escaping RecordingReply<RecordingStatus>) {
        loop.post(.meter(isOn, reply))
    }

    /// The session has changed: ends a recording that is no longer permitted.
    public func permissionChanged() {
        if status.state != .idle { loop.post(.permissionChanged) }
    }

    /// Ends and completes the recording, within 1 s: data that a hanging disk has not accepted by then is recovered at
    /// the next start.
    public func shutdown() { loop.shutdown(.shutdown, within: 1) }
}

/// Messages to the recorder's thread.
enum RecorderMessage: Sendable {
    case start(RecordingSettings, RecordingReply<Recorder.Started>)
    case pause(RecordingReply<RecordingStatus>)
    case stop(RecordingReply<RecordingStatus>)
    case meter(Bool, RecordingReply<RecordingStatus>)
    case permissionChanged
    case capture(CaptureEvent, generation: Int)
    case shutdown

    func refuse(_ error: RecordingError) {
        switch self {
        case .start(_, let reply): reply(.failure(error))
        case .pause(let reply), .stop(let reply), .meter(_, let reply): reply(.failure(error))
        case .permissionChanged, .capture, .shutdown: break
        }
    }
}
