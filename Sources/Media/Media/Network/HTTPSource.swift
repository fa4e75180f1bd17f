// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback
internal import Synchronization

/// Media at an `http:` or `https:` URL, played while it downloads.
///
/// Keeps a window of bytes around the read position, requests missing parts, and resumes at the exact byte after a failure. Reads
/// block until the bytes have arrived, the last attempt has failed, or `close`. `Download` decides what to do; this class adds a
/// lock and a transport.
public final class HTTPSource: ByteSource {
    public let name: String
    public let isLocal = false

    let download: Monitor<Download>
    let transport: any HTTPTransport
    private let report: @Sendable (MediaLoading) -> Void
    private let relay = Relay()
    let address: WebAddress
    let cache: (any MediaCache)?
    /// nil while nothing is cached.
    let cached: Mutex<(any CachedMedia)?>
    /// Notifies the tap of new bytes, with the download's lock held. Its observer must not block or call the source.
    let listener = Published<Void, Void>(())

    /// Starts to load at once. `report` is called from any thread, in order. It must not block or call the source.
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

    /// The address after redirects; nil before the first response.
    var servedFrom: WebAddress? { download.withLock { $0.resource?.address } }

    /// Where the source's own address may lead from now on.
    var reach: NetworkReach { download.withLock { $0.reach } }

    /// Where references in the content may lead.
    var servedReach: NetworkReach { download.withLock { $0.resource?.reach ?? .public } }

    /// A live stream's metadata at this byte (nil: at the read position); nil for a file.
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
            var count = 0
            let answer: Download.ReadAnswer = download.wait { download in
                let (answer, actions) = download.read(at: offset, now: transport.now)
                perform(actions)
                if answer == .available { count = download.window.copy(at: offset, into: buffer) }
                return answer == .wait ? nil : answer
            }
            switch answer {
            case .available: return count
            case .end, .wait: return 0
            case .failed(let error): throw error
            case .cached(let end):
                if let count = readCached(at: offset, upTo: end, into: buffer), count > 0 { return count }
                cacheFailed()
            }
        }
    }

    /// nil if the cache fails. Called without the lock, as the disk may be slow.
    func readCached(at offset: Int64, upTo end: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), end - offset))])
        return cached.withLock { $0 }?.read(into: part, at: offset)
    }

    /// A read from the cache has failed: loads the media from the network, unless the source was closed meanwhile.
    func cacheFailed() {
        download.change { download in
            guard download.failure?.code != .cancelled else { return }
            perform(download.cacheFailed(now: transport.now))
        }
    }

    /// Runs `body`, which reads this source. Closes the source afterwards, at the deadline, and on cancellation. `seconds`: the time
    /// allowed, for the error.
    func read<Value>(
        until deadline: MonotonicTime, within seconds: Double, _ cancellation: MediaCancellation,
        _ body: () throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        defer { close() }
        cancellation.onCancel { [weak self] in self?.close() }
        transport.call(at: deadline) { [weak self] in self?.close() }
        do throws(MediaError) {
            return try body()
        } catch {
            guard error.code == .cancelled, !cancellation.isCancelled else { throw error }
            throw MediaError(.network, "\(name) did not arrive within \(Int(clamping: seconds.rounded())) s.")
        }
    }

    /// While true, every blocked or new read of missing bytes ends as cancelled.
    public func interrupt(_ isInterrupted: Bool) { download.change { $0.isInterrupted = isInterrupted } }

    public func close() {
        download.change { performAndNotify($0.close()) }
        cached.withLock { $0 }?.close()
    }

    /// Called with the lock held, which keeps transport commands and reports in the order of the decisions. Neither blocks.
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

    /// As `perform`, and notifies the tap, after an input that may have delivered bytes or ended the download.
    private func performAndNotify(_ actions: [Download.Action]) {
        listener.notify(())
        perform(actions)
    }

    private func tick() { download.change { performAndNotify($0.tick(now: transport.now)) } }

    /// The receiver that the transport retains. It refers to the source weakly, so that an unused source is freed and cancels its
    /// transfer.
    private final class Relay: TransferReceiver {
        let source = Weak<HTTPSource>()

        private var target: HTTPSource? { source.value }

        func head(_ head: TransferHead, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.performAndNotify($0.received(head, of: id, now: target.transport.now)) }
            target.describe()
        }

        func body(_ bytes: UnsafeRawBufferPointer, of id: TransferID) -> TransferVerdict {
            guard let target else { return .taken }
            let (verdict, start) = target.download.change { download in
                let start = download.keptOffset(of: id)
                let (verdict, actions) = download.received(bytes, of: id, now: target.transport.now)
                target.performAndNotify(actions)
                return (verdict, start)
            }
            if case .taken = verdict, let start { target.cached.withLock { $0 }?.store(bytes, at: start) }
            return verdict
        }

        func ended(_ failure: TransferFailure?, of id: TransferID) {
            guard let target else { return }
            target.download.change { target.performAndNotify($0.ended(failure, of: id, now: target.transport.now)) }
            target.describe()
        }
    }
}

extension TransferID {
    private static let last = Atomic<UInt64>(0)

    static func next() -> TransferID { TransferID(last.add(1, ordering: .relaxed).newValue) }
}
