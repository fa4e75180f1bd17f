// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Downloads one file or stream, as a pure state machine. Inputs: reads and the transport's reports. Outputs: actions for the
/// transport. No thread, no clock, no socket.
///
/// There is at most one transfer. After every input, `steer` (in `Download+Steering`) compares the missing bytes with those that
/// the transfer will deliver, and starts, ends or resumes it.
struct Download {
    enum Action: Equatable {
        case start(TransferRequest, TransferID)
        case resume(TransferID)
        case cancel(TransferID)
        /// Call `tick` at this time.
        case wake(MonotonicTime)
        case report(MediaLoading)
        /// The cache entry is of another version, or the server forbids to store it: delete it.
        case forget
        /// The cache entry was revalidated. `lifetime`: seconds until the next revalidation.
        case confirm(lifetime: Double?)
    }

    enum Phase {
        case idle
        case requesting(Fetch)
        case receiving(Fetch)
        /// An attempt has failed; the next one starts then.
        case waiting(until: MonotonicTime)
    }

    struct Fetch {
        let id: TransferID
        let address: WebAddress
        /// Where `address` may lead.
        let reach: NetworkReach
        /// The first requested byte.
        let offset: Int64
        /// End of the requested range, where loaded bytes follow; nil: the end of the media.
        var end: Int64?
        var redirects = 0
        /// Offset of the next byte to arrive.
        var cursor: Int64
        var lastProgress: MonotonicTime
        /// Time of the first byte.
        var receivingSince: MonotonicTime?
        var isPaused = false
    }

    let original: WebAddress
    let fields: [TransferHeader]
    let limits: NetworkLimits
    /// nil for a whole file or a station.
    let piece: NetworkPiece?
    let opened: MonotonicTime
    /// Where `original` may lead. Once connected, nowhere more private than that server.
    var reach: NetworkReach

    var window: ByteWindow
    var phase = Phase.idle
    var resource: RemoteResource?
    var cache = CachedPart()
    /// Used only if the resource is live.
    var live = LiveStream()
    var failure: MediaError?
    /// The read position.
    var place: Int64 = 0
    var failedTries = 0
    /// The tap, if there is one.
    var tapped: Tapped?
    /// Bytes were read: the media must not change any more.
    var wasRead = false
    /// Reads of missing bytes fail instead of waiting.
    var isInterrupted = false
    var now: MonotonicTime
    var actions: [Action] = []
    var reporting = LoadingReports()
    var wakesAt: MonotonicTime?

    init(
        _ address: WebAddress, fields: [TransferHeader], limits: NetworkLimits, reach: NetworkReach,
        piece: NetworkPiece?, now: MonotonicTime, cached: (facts: CachedFacts, ranges: RangeSet<Int64>)?, isFresh: Bool
    ) {
        original = address
        self.fields = fields
        self.limits = limits
        self.piece = piece
        self.reach = reach
        self.now = now
        opened = now
        window = ByteWindow(memory: limits.memory)
        place = piece?.range?.lowerBound ?? 0
        reporting.reportsFailures = piece != nil
        if let cached { use(cached.facts, cached.ranges, isFresh: isFresh) }
    }

    // MARK: Inputs

    mutating func begin() -> [Action] { finish() }

    enum ReadAnswer: Equatable {
        case available
        /// Bytes up to this offset are in the cache.
        case cached(upTo: Int64)
        case end
        case failed(MediaError)
        case wait
    }

    /// The reader reads at `offset`.
    mutating func read(at offset: Int64, now: MonotonicTime) -> (ReadAnswer, [Action]) {
        self.now = now
        // Nothing is that long. The check keeps sums with `place` from overflowing.
        guard offset <= ByteCount.largest else { return (.end, []) }
        place = offset
        let actions = finish()
        if window.loaded.contains(offset) {
            wasRead = true
            return (.available, actions)
        }
        if let end = readableCached(from: offset) {
            wasRead = true
            return (.cached(upTo: end), actions)
        }
        if let end, end > 0, offset >= end, cache.trust != .unconfirmed { return (.end, actions) }
        // After a failure, loaded bytes are still played.
        if let failure { return (.failed(failure), actions) }
        if isInterrupted { return (.failed(MediaError(.cancelled, "The read was interrupted.")), actions) }
        return (.wait, actions)
    }

    mutating func received(_ head: TransferHead, of id: TransferID, now: MonotonicTime) -> [Action] {
        self.now = now
        guard case .requesting(var fetch) = phase, fetch.id == id else { return [] }
        fetch.lastProgress = now
        let found = fetch.reach.narrowed(by: NetworkReach(of: head.zone))
        if fetch.address == original { reach = found }
        if cache.trust == .stale {
            checkCache(head, fetch, reach: found)
            return finish()
        }
        let known = wasRead || cache.trust == .unconfirmed ? resource : nil
        let isUnread = !wasRead && cache.trust == .unconfirmed
        switch ResponseVerdict(
            head, from: fetch.address, offset: fetch.offset, known: known, isPiece: piece != nil)
        {
        case .body where isUnread && Freshness.forbidsStorage(head), .changed where isUnread:
            stop(fetch)
            forgetCache()
        case .body(let start, var body):
            if piece != nil {
                // A station that is read like a file is not stored as one.
                body.isForbidden = body.isForbidden || body.isLive
                (body.isLive, body.isPresumed) = (false, false)
            }
            if !wasRead, resource?.contradicts(body) == true { window.removeAll() }
            if body.isForbidden, resource?.isForbidden == false { dropCache() }
            body.reach = found
            resource = body
            confirmCache()
            // A live stream continues with any bytes.
            fetch.cursor = body.isLive ? fetch.offset : start
            if body.isLive {
                live.join(head, at: fetch.cursor)
                tapped?.joined(at: fetch.cursor)
            }
            if !body.hasRanges { fetch.end = nil }
            phase = .receiving(fetch)
            if body.size == 0 { failEmpty() }
        case .redirect(let location): redirect(fetch, to: location, reach: found)
        case .end(let size):
            stop(fetch)
            if size == 0 { failEmpty() } else { ended(at: size.bytes, fetch) }
        case .changed:
            stop(fetch)
            fail(.network, "\(original.name) has changed while it was being played.")
        case .later(let message, let seconds):
            stop(fetch)
            lost(message, retryAfter: seconds)
        case .fail(let error):
            stop(fetch)
            failure = error
        }
        return finish()
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer, of id: TransferID, now: MonotonicTime
    ) -> (TransferVerdict, [Action]) {
        self.now = now
        guard case .receiving(var fetch) = phase, fetch.id == id else { return (.taken, []) }
        guard fetch.cursor < place + window.reach else {
            fetch.isPaused = true
            phase = .receiving(fetch)
            return (.pause, finish())
        }
        keep(bytes, of: &fetch)
        // A station sends in real time, after a few seconds in advance at most.
        if resource?.isPresumed == true, fetch.cursor - place > limits.stationLead { turnIntoFile() }
        fetch.lastProgress = now
        let since = fetch.receivingSince ?? now
        fetch.receivingSince = since
        if now.seconds(since: since) >= 10 { failedTries = 0 }
        reporting.meter(bytes.count)
        phase = .receiving(fetch)
        return (.taken, finish())
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, of fetch: inout Fetch) {
        let sound =
            resource?.isLive == true ? live.take(bytes, at: fetch.cursor, place: place) : [0..<bytes.count]
        for range in sound {
            window.store(UnsafeRawBufferPointer(rebasing: bytes[range]), at: fetch.cursor, around: place)
            tapped?.arrived(fetch.cursor..<fetch.cursor + Int64(range.count))
            fetch.cursor += Int64(range.count)
        }
    }

    mutating func ended(_ reason: TransferFailure?, of id: TransferID, now: MonotonicTime) -> [Action] {
        self.now = now
        guard let fetch, fetch.id == id else { return [] }
        let isReceiving = if case .receiving = phase { true } else { false }
        phase = .idle
        switch reason {
        // The revalidation failed: play the cached version.
        case _ where cache.trust == .stale: cache.trust = .confirmed
        case .permanent(let message): fail(.network, "\(original.name): \(message)")
        case .privateAddress(let message): fail(.privateAddress, "\(original.name): \(message)")
        // A server may close a connection that is paused for long. The next request follows once there is room.
        case .transient where fetch.isPaused: break
        case .transient(let message): lost("\(original.name): \(message)")
        case nil where isReceiving: bodyEnded(fetch)
        case nil: lost("\(sender(fetch)) sent no response.")
        }
        return finish()
    }

    mutating func tick(now: MonotonicTime) -> [Action] {
        self.now = now
        if let wakesAt, wakesAt <= now { self.wakesAt = nil }
        checkDeadlines()
        return finish()
    }

    mutating func close() -> [Action] {
        failure = MediaError(.cancelled, "\(original.name) was closed.")
        window.removeAll()
        return finish()
    }

    private mutating func finish() -> [Action] {
        steer()
        let isSatisfied = self.isSatisfied
        let isStalled = isWanting && now.seconds(since: lastProgress) >= LoadingReports.stallAfter - 0.0005
        let loading = MediaLoading(
            ranges: Array(atHand.ranges), size: resource?.size?.bytes, place: place,
            bytesPerSecond: reporting.speed(now: now, isLoading: isWanting), isStalled: isStalled,
            isSatisfied: isSatisfied)
        if reporting.isDue(loading, now: now) { actions.append(.report(loading)) }
        if let next = nextWake, wakesAt.map({ next < $0 }) ?? true {
            wakesAt = next
            actions.append(.wake(next))
        }
        defer { actions = [] }
        return actions
    }
}
