// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// How one media comes over the network, as a pure state machine: what the reader wants and the transport reports goes
/// in, what the transport is to do comes out. No thread, no clock, no socket.
///
/// There is at most one transfer. After every input `steer` (in `Download+Steering`) compares what is missing with what
/// that transfer brings, and begins, ends or resumes it.
struct Download {
    enum Action: Equatable {
        case start(TransferRequest, TransferID)
        case resume(TransferID)
        case cancel(TransferID)
        /// `tick` at this time.
        case wake(MonotonicTime)
        case report(MediaLoading)
        /// What is kept of it belongs to another media.
        case forget
        /// What is kept of it is what the server has, and need not be asked about for so many seconds.
        case confirm(lifetime: Double?)
    }

    enum Phase {
        case idle
        case requesting(Fetch)
        case receiving(Fetch)
        /// A try has failed; the next begins then.
        case waiting(until: MonotonicTime)
    }

    /// One transfer.
    struct Fetch {
        let id: TransferID
        let address: WebAddress
        /// Where `address` may lead.
        let reach: NetworkReach
        /// The byte that was asked for.
        let offset: Int64
        /// Where bytes begin that are there already; nil: to the end of the media.
        var end: Int64?
        var redirects = 0
        /// Of the next byte that comes.
        var cursor: Int64
        var lastProgress: MonotonicTime
        /// Since the first byte.
        var receivingSince: MonotonicTime?
        var isPaused = false
    }

    let original: WebAddress
    let fields: [TransferHeader]
    let limits: NetworkLimits
    /// nil: a media, perhaps a station.
    let piece: NetworkPiece?
    let opened: MonotonicTime
    /// Where `original` may lead; once it was connected to, nowhere more private than that.
    var reach: NetworkReach

    var window: ByteWindow
    var phase = Phase.idle
    var resource: RemoteResource?
    var cache = CachedPart()
    /// Only when the resource is live.
    var live = LiveStream()
    var failure: MediaError?
    /// The byte that is read next.
    var place: Int64 = 0
    var failedTries = 0
    /// Where somebody stands who takes the bytes along.
    var tapped: Tapped?
    /// Something was read: from now on it must stay the same media.
    var wasRead = false
    /// The reader is wanted elsewhere: what is not there is not waited for.
    var isInterrupted = false
    var now: MonotonicTime
    var actions: [Action] = []
    var reporting = LoadingReports()
    var wakesAt: MonotonicTime?

    init(
        _ address: WebAddress, fields: [TransferHeader], limits: NetworkLimits, reach: NetworkReach = .anywhere,
        piece: NetworkPiece? = nil, now: MonotonicTime, cached: (facts: CachedFacts, ranges: RangeSet<Int64>)? = nil,
        isFresh: Bool = true
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
        /// Up to this byte, in the cache.
        case cached(upTo: Int64)
        case end
        case failed(MediaError)
        case wait
    }

    /// The reader wants the byte at `offset`.
    mutating func read(at offset: Int64, now: MonotonicTime) -> (ReadAnswer, [Action]) {
        self.now = now
        // Behind what any media has: sums with the place do not overflow.
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
        // What is there is played although the network has failed.
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
        switch ResponseVerdict(
            head, from: fetch.address, offset: fetch.offset, known: known, isPiece: piece != nil)
        {
        case .body(let start, var body):
            if piece != nil { (body.isLive, body.isPresumed) = (false, false) }
            if !wasRead, resource?.contradicts(body) == true { window.removeAll() }
            body.reach = found
            resource = body
            confirmCache()
            // A live stream goes on with whatever comes.
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
        case .changed where !wasRead && cache.trust == .unconfirmed:
            stop(fetch)
            forgetCache()
        case .changed:
            stop(fetch)
            fail(.network, "\(original.name) has changed on \(fetch.address.host) while it was being played.")
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
        // A station sends what it plays, at most with a few seconds more at the beginning.
        if resource?.isPresumed == true, fetch.cursor - place > limits.stationLead { isNoStation() }
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
            tapped?.came(fetch.cursor..<fetch.cursor + Int64(range.count))
            fetch.cursor += Int64(range.count)
        }
    }

    mutating func ended(_ reason: TransferFailure?, of id: TransferID, now: MonotonicTime) -> [Action] {
        self.now = now
        switch phase {
        case .requesting(let fetch) where fetch.id == id:
            phase = .idle
            switch reason {
            // Without its server it is played as it is.
            case _ where cache.trust == .stale: cache.trust = .confirmed
            case nil: lost("\(original.name): \(fetch.address.host) sent no answer.")
            case .transient(let message): lost("\(original.name): \(message)")
            case .permanent(let message): fail(.network, "\(original.name): \(message)")
            case .privateAddress(let message): fail(.privateAddress, "\(original.name): \(message)")
            }
        case .receiving(let fetch) where fetch.id == id:
            phase = .idle
            receivingEnded(reason, fetch)
        default: return []
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
