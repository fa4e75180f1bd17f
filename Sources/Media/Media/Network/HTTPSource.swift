// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback
internal import Synchronization

/// Media behind an `http:` or `https:` URL, played while it comes.
///
/// Keeps a window of bytes around the place that is read, asks for parts that are missing, and goes on at the exact byte
/// after a failure. Reads block until their bytes are there, the tries are over, or `close`. What it does is decided by
/// `Download`; this class lends it a lock and a transport.
public final class HTTPSource: ByteSource {
    public let name: String
    public let isLocal = false

    let download: Monitor<Download>
    let transport: any HTTPTransport
    private let report: @Sendable (MediaLoading) -> Void
    private let relay = Relay()
    let address: WebAddress
    let cache: (any MediaCache)?
    /// nil while nothing of it is kept.
    let cached: Mutex<(any CachedMedia)?>
    /// The reader that takes the bytes along.
    let listener = Mutex(Listener())

    /// In a struct, because a closure that is the mutex's whole value is wrapped once more by every access to it.
    struct Listener {
        /// Called with the download's lock held: must not block nor call the source.
        var call: (@Sendable () -> Void)?
    }

    /// Begins to load at once. `report` is called from any thread, in order; it must not block nor call the source.
    init(
        _ address: WebAddress, fields: [TransferHeader], transport: any HTTPTransport,
        limits: NetworkLimits = NetworkLimits(), reach: NetworkReach = .anywhere, cache: (any MediaCache)? = nil,
        piece: NetworkPiece? = nil, report: @escaping @Sendable (MediaLoading) -> Void = { _ in }
    ) {
        name = address.name
        self.address = address
        self.transport = transport
        self.cache = cache
        self.report = report
        let found = cache?.find(address)
        cached = Mutex(found)
        download = Monitor(
            Download(
                address, fields: fields, limits: limits, reach: reach, piece: piece, now: transport.now,
                cached: found.map { ($0.facts, $0.ranges) },
                isFresh: found.map { Freshness.isFresh($0.facts, age: $0.age) } ?? true))
        relay.source.value = self
        if let found { follow(found) }
        download.change { perform($0.begin()) }
    }

    deinit {
        let actions = download.withLock { $0.close() }
        for case .cancel(let id) in actions { transport.cancel(id) }
        cached.withLock { $0 }?.close()
    }

    public var size: ByteCount? { download.withLock { $0.resource?.size } }

    public var isSeekable: Bool {
        download.withLock { download in
            guard let resource = download.resource, resource.size != nil else { return false }
            return resource.hasRanges || download.isWhole
        }
    }

    /// Where redirects have led to; nil before the first answer.
    var servedFrom: WebAddress? { download.withLock { $0.resource?.address } }

    /// Where its own address may lead from now on.
    var reach: NetworkReach { download.withLock { $0.reach } }

    /// Where what it names may lead.
    var servedReach: NetworkReach { download.withLock { $0.resource?.reach ?? .public } }

    /// A live stream's metadata as it was at this byte (nil: at the byte read last); nil for what has an end.
    func broadcast(at offset: Int64?) -> Broadcast? {
        download.withLock { download in
            guard download.resource?.isLive == true else { return nil }
            return download.live.broadcast(at: offset ?? download.place)
        }
    }

    public var isClosed: Bool { download.withLock { $0.failure?.code == .cancelled } }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        while true {
            let piece: Piece = download.wait { download in
                let (answer, actions) = download.read(at: offset, now: transport.now)
                perform(actions)
                switch answer {
                case .available: return .read(download.window.copy(at: offset, into: buffer))
                case .cached(let end): return .cached(Int(min(Int64(buffer.count), end - offset)))
                case .end: return .read(0)
                case .failed(let error): return .failed(error)
                case .wait: return nil
                }
            }
            switch piece {
            case .read(let count): return count
            case .failed(let error): throw error
            case .cached(let count):
                // Not with the lock held: the disk may take its time.
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                if let count = cached.withLock({ $0 })?.read(into: part, at: offset), count > 0 { return count }
                cacheFailed()
            }
        }
    }

    /// What was to be in the cache cannot be read: it is loaded anew. Not when it was closed meanwhile: then it is well.
    func cacheFailed() {
        download.change { download in
            guard download.failure?.code != .cancelled else { return }
            perform(download.cacheFailed(now: transport.now))
        }
    }

    private enum Piece {
        case read(Int)
        case cached(Int)
        case failed(MediaError)
    }

    /// True ends a blocked read, and every one until false, as cancelled.
    public func interrupt(_ isInterrupted: Bool) { download.change { $0.isInterrupted = isInterrupted } }

    public func close() {
        download.change { come($0.close()) }
        cached.withLock { $0 }?.close()
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
            case .confirm(let lifetime): cached.withLock { $0 }?.confirm(lifetime: lifetime)
            case .forget:
                cached.withLock { media in
                    media?.forget()
                    media = nil
                }
            }
        }
    }

    /// As `perform`, of what may have brought bytes, or the end of them.
    private func come(_ actions: [Download.Action]) {
        listener.withLock { $0.call }?()
        perform(actions)
    }

    private func tick() { download.change { come($0.tick(now: transport.now)) } }

    /// What the transport holds on to, so that a source that nobody reads any more goes, and takes its transfer along.
    private final class Relay: TransferReceiver {
        let source = Weak<HTTPSource>()

        private var target: HTTPSource? { source.value }

        func head(_ head: TransferHead, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.come($0.received(head, of: id, now: target.transport.now)) }
            target.describe()
        }

        func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict {
            guard let target else { return .taken }
            let (verdict, start) = target.download.change { download in
                let start = download.keptOffset(of: id)
                let (verdict, actions) = download.received(bytes, of: id, now: target.transport.now)
                target.come(actions)
                return (verdict, start)
            }
            if case .taken = verdict, let start { target.cached.withLock { $0 }?.store(bytes, at: start) }
            return verdict
        }

        func ended(_ failure: TransferFailure?, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.come($0.ended(failure, of: id, now: target.transport.now)) }
            target.describe()
        }
    }
}

extension TransferID {
    private static let last = Atomic<UInt64>(0)

    static func next() -> TransferID { TransferID(last.add(1, ordering: .relaxed).newValue) }
}
