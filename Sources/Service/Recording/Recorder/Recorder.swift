// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The recorder: a handle for any thread. Its loop runs on a thread of its own, from the first use on.
public final class Recorder: Sendable {
    public struct Environment: Sendable {
        public var capture: any AudioCapture
        public var store: any RecordingStore
        /// The sentence why nothing may be recorded now; nil when it may. Must not block.
        public var refusal: @Sendable () -> String?
        /// A recording is done that was asked to be played: its address.
        public var play: @Sendable (String) -> Void

        public init(
            capture: any AudioCapture, store: any RecordingStore, refusal: @escaping @Sendable () -> String?,
            play: @escaping @Sendable (String) -> Void
        ) {
            self.capture = capture
            self.store = store
            self.refusal = refusal
            self.play = play
        }
    }

    public enum Event: Sendable {
        /// The state or the last result changed.
        case status(RecordingStatus)
        /// One entry a channel, each tenth of a second of sound while metered; the last one is silence.
        case levels(id: String, [ChannelLevel])
    }

    public typealias Reply = @Sendable (Result<RecordingStatus, RecordingError>) -> Void

    public let store: any RecordingStore
    private let environment: Environment
    private let published: Published<RecordingStatus, Event>
    private let loop: LazyLoop<RecorderMessage>

    public init(_ environment: Environment) {
        self.environment = environment
        store = environment.store
        let published = Published<RecordingStatus, Event>(RecordingStatus())
        self.published = published
        loop = LazyLoop("recorder") { RecorderLoop(environment, $0, published).run() }
    }

    /// The newest state; the duration is that of the moment.
    public var status: RecordingStatus { published.value }

    public func sources() throws(RecordingError) -> [CaptureSource] { try environment.capture.sources() }

    /// `observer` is called from the recorder's thread, in order, after its state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (Event) -> Void) { published.observe(observer) }

    /// Starts; resumes what is paused; changes nothing when it records already. `isNew`: it was started; replies come within
    /// 4 s, from the recorder's thread.
    public func start(
        _ settings: RecordingSettings,
        reply: @escaping @Sendable (Result<(status: RecordingStatus, isNew: Bool), RecordingError>) -> Void
    ) {
        post(.start(settings, reply)) { reply(.failure($0)) }
    }

    public func pause(reply: @escaping Reply) { post(.pause(reply)) { reply(.failure($0)) } }
    public func stop(reply: @escaping Reply) { post(.stop(reply)) { reply(.failure($0)) } }
    public func setMetering(_ isOn: Bool, reply: @escaping Reply) {
        post(.meter(isOn, reply)) { reply(.failure($0)) }
    }

    /// The session has changed: ends a recording that is not permitted any longer.
    public func permissionChanged() {
        guard status.state != .idle else { return }
        post(.permissionChanged) { _ in }
    }

    /// Ends and completes what is being recorded, for 1 s at most: what a disk that hangs has not taken by then is recovered
    /// at the next start.
    public func shutdown() {
        for message in loop.shutdown(.shutdown, within: 1) { message.refuse() }
    }

    private func post(_ message: RecorderMessage, orElse refuse: (RecordingError) -> Void) {
        do { try loop.post(message) } catch { refuse(RecordingError(error)) }
    }
}

/// What comes to the recorder's thread.
enum RecorderMessage: Sendable {
    typealias StartReply = @Sendable (Result<(status: RecordingStatus, isNew: Bool), RecordingError>) -> Void

    case start(RecordingSettings, StartReply)
    case pause(Recorder.Reply)
    case stop(Recorder.Reply)
    case meter(Bool, Recorder.Reply)
    case permissionChanged
    case capture(CaptureEvent, generation: Int)
    case shutdown

    func refuse() {
        switch self {
        case .start(_, let reply): reply(.failure(.shuttingDown))
        case .pause(let reply), .stop(let reply), .meter(_, let reply): reply(.failure(.shuttingDown))
        case .permissionChanged, .capture, .shutdown: break
        }
    }
}
