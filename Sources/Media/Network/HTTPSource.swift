// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization
internal import Threading

/// Media behind an `http:` or `https:` URL, played while it comes.
///
/// Keeps a window of bytes around the place that is read, asks for parts that are missing, and goes on at the exact byte
/// after a failure. Reads block until their bytes are there, the tries are over, or `close`. What it does is decided by
/// `Download`; this class lends it a lock and a transport.
public final class HTTPSource: ByteSource {
    public let name: String
    public let isLocal = false

    private let download: Monitor<Download>
    private let transport: any HTTPTransport
    private let report: @Sendable (MediaLoading) -> Void
    private let relay = Relay()

    /// Begins to load at once. `report` is called from any thread, in order; it must not block nor call the source.
    public init(
        _ address: WebAddress, fields: [TransferHeader], transport: any HTTPTransport,
        limits: NetworkLimits = NetworkLimits(), report: @escaping @Sendable (MediaLoading) -> Void = { _ in }
    ) {
        name = address.name
        self.transport = transport
        self.report = report
        download = Monitor(Download(address, fields: fields, limits: limits, now: transport.now))
        relay.source.withLock { $0.value = self }
        download.change { perform($0.begin()) }
    }

    deinit {
        let actions = download.withLock { $0.close() }
        for case .cancel(let id) in actions { transport.cancel(id) }
    }

    public var size: Int64? { download.withLock { $0.resource?.size } }

    public var isSeekable: Bool {
        download.withLock { $0.resource.map { $0.hasRanges && $0.size != nil } ?? false }
    }

    /// Where redirects have led to; nil before the first answer.
    var address: WebAddress? { download.withLock { $0.resource?.address } }

    /// What a live stream tells, as it was at this byte (nil: at the byte read last); nil for what has an end.
    func broadcast(at offset: Int64?) -> Broadcast? {
        download.withLock { download in
            guard download.resource?.isLive == true else { return nil }
            return download.live.broadcast(at: offset ?? download.place)
        }
    }

    public var isClosed: Bool { download.withLock { $0.failure?.code == .cancelled } }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        let result: Result<Int, MediaError> = download.wait { download in
            let (answer, actions) = download.read(at: offset, now: transport.now)
            perform(actions)
            switch answer {
            case .available: return .success(download.window.copy(at: offset, into: buffer))
            case .end: return .success(0)
            case .failed(let error): return .failure(error)
            case .wait: return nil
            }
        }
        return try result.get()
    }

    /// True ends a blocked read, and every one until false, as cancelled.
    public func interrupt(_ isInterrupted: Bool) {
        download.change { $0.isInterrupted = isInterrupted }
    }

    public func close() {
        download.change { perform($0.close()) }
    }

    /// With the lock held, which keeps orders to the transport and reports in the order of the decisions; neither blocks.
    private func perform(_ actions: [Download.Action]) {
        for action in actions {
            switch action {
            case .start(let request, let id): transport.start(request, id: id, receiver: relay)
            case .resume(let id): transport.resume(id)
            case .cancel(let id): transport.cancel(id)
            case .wake(let time): transport.call(at: time) { [weak self] in self?.tick() }
            case .report(let loading): report(loading)
            }
        }
    }

    private func tick() {
        download.change { perform($0.tick(now: transport.now)) }
    }

    /// What the transport holds on to, so that a source that nobody reads any more goes, and takes its transfer along.
    private final class Relay: TransferReceiver {
        struct Reference {
            weak var value: HTTPSource?
        }

        let source = Mutex(Reference())

        private var target: HTTPSource? { source.withLock { $0.value } }

        func head(_ head: TransferHead, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.perform($0.received(head, of: id, now: target.transport.now)) }
        }

        func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict {
            guard let target else { return .taken }
            return target.download.change { download in
                let (verdict, actions) = download.received(bytes, of: id, now: target.transport.now)
                target.perform(actions)
                return verdict
            }
        }

        func ended(_ failure: TransferFailure?, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.perform($0.ended(failure, of: id, now: target.transport.now)) }
        }
    }
}

extension TransferID {
    private static let last = Atomic<UInt64>(0)

    static func next() -> TransferID {
        TransferID(last.add(1, ordering: .relaxed).newValue)
    }
}
