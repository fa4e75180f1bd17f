// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// What an earlier download has left.
struct CachedPart {
    enum Trust {
        /// There was nothing, or the server has something else by now.
        case none
        /// Incomplete: the server has not yet confirmed that it still has the same media.
        case unconfirmed
        /// Complete, but so old that the server is asked first, if it is there.
        case stale
        /// Complete and lately confirmed, or confirmed just now.
        case confirmed
    }

    /// Bytes that can be read from the cache.
    var ranges = RangeSet<Int64>()
    var trust = Trust.none
}

extension Download {
    mutating func use(_ facts: CachedFacts, _ ranges: RangeSet<Int64>, isFresh: Bool) {
        guard !ranges.isEmpty else { return }
        cache.ranges = ranges
        resource = RemoteResource(
            address: original, size: facts.size, hasRanges: true, entityTag: facts.entityTag,
            lastModified: facts.lastModified, contentType: facts.contentType)
        let isComplete = facts.size.map { ranges.contains(0) && missing(from: 0) >= $0.bytes } ?? false
        cache.trust = !isComplete ? .unconfirmed : isFresh ? .confirmed : .stale
    }

    /// RFC 9110, section 13.1: the answer is short when nothing has changed.
    var conditionalFields: [TransferHeader] {
        [
            resource?.entityTag.map { TransferHeader("If-None-Match", $0) },
            resource?.lastModified.map { TransferHeader("If-Modified-Since", $0) },
        ].compactMap { $0 }
    }

    /// The server's answer about what is kept whole. Only another version takes its place: what was downloaded is played also
    /// where it is no longer, or not any more for us, or the server is not well.
    mutating func checkCache(_ head: TransferHead, _ fetch: Fetch, reach: NetworkReach) {
        if (301...308).contains(head.status), head.status != 304, let location = head["Location"] {
            redirect(fetch, to: location, reach: reach)
            if failure != nil { (failure, cache.trust) = (nil, .confirmed) }
            return
        }
        stop(fetch)
        switch head.status == 304 ? nil : ResponseVerdict(head, from: fetch.address, offset: 0, known: resource) {
        case nil, .body:
            cache.trust = .confirmed
            actions.append(.confirm(lifetime: Freshness.lifetime(head)))
        case .changed: forgetCache()
        case .redirect, .end, .later, .fail: cache.trust = .confirmed
        }
    }

    /// More of it can be read from the cache.
    mutating func cacheGrew(_ range: Range<Int64>) {
        guard cache.trust == .none || cache.trust == .confirmed else { return }
        cache.trust = .confirmed
        cache.ranges.insert(contentsOf: range)
    }

    /// What was to be there is not: it is loaded as if it never was.
    mutating func cacheFailed(now: MonotonicTime) -> [Action] {
        self.now = now
        cache = CachedPart()
        actions.append(.forget)
        return tick(now: now)
    }

    mutating func confirmCache() {
        if cache.trust == .unconfirmed { cache.trust = resource?.isLive == true ? .none : .confirmed }
        if cache.trust == .none { cache.ranges = RangeSet() }
    }

    /// Another media is there by now, and nothing of the old one was read.
    mutating func forgetCache() {
        cache = CachedPart()
        resource = nil
        window.removeAll()
        actions.append(.forget)
    }

    /// Where what can be read from the cache at this byte ends; nil when it cannot. Without a network, what is there is
    /// played unconfirmed.
    func readableCached(from offset: Int64) -> Int64? {
        guard failure?.code != .cancelled,
            cache.trust == .confirmed || cache.trust == .unconfirmed && failure?.code == .network
        else { return nil }
        return cache.ranges.ranges.first { $0.contains(offset) }?.upperBound
    }

    /// Of the next byte of this transfer, where it may be kept.
    func keptOffset(of id: TransferID) -> Int64? {
        guard case .receiving(let fetch) = phase, fetch.id == id, resource?.isLive == false else { return nil }
        return fetch.cursor
    }

    var atHand: RangeSet<Int64> { cache.ranges.isEmpty ? window.loaded : window.loaded.union(cache.ranges) }

    /// All of it is there, and nothing else will want the room.
    var isWhole: Bool {
        guard let size = resource?.size else { return false }
        return (cache.trust == .confirmed ? missing(from: 0) : window.missing(from: 0)) >= size.bytes
    }

    func missing(from offset: Int64) -> Int64 {
        atHand.ranges.first { $0.contains(offset) }?.upperBound ?? offset
    }

    func nextAtHand(after offset: Int64) -> Int64? {
        atHand.ranges.first { $0.lowerBound > offset }?.lowerBound
    }
}

extension HTTPSource {
    /// From now on what comes is kept, and what has come already.
    func keep() {
        guard let cache, download.withLock({ $0.resource?.isLive == false }) else { return }
        guard cached.withLock({ $0 == nil }), let media = cache.make(address) else { return }
        cached.withLock { $0 = media }
        follow(media)
        describe()
        var offset: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteWindow.pageSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let (start, count) = download.withLock { download -> (Int64, Int) in
                guard let range = download.window.loaded.ranges.first(where: { $0.upperBound > offset }) else {
                    return (0, 0)
                }
                let start = max(offset, range.lowerBound)
                return (start, download.window.copy(at: start, into: buffer))
            }
            guard count > 0 else { return }
            media.store(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: start)
            offset = start + Int64(count)
        }
    }

    /// Takes notice of what is written, until that is forgotten.
    func follow(_ media: any CachedMedia) {
        media.onWritten { [weak self, weak media] range in
            self?.download.change { download in
                guard let media, self?.cached.withLock({ $0 === media }) == true else { return }
                download.cacheGrew(range)
            }
        }
    }

    /// Passes the server's answer on to the cache.
    func describe() {
        guard let media = cached.withLock({ $0 }),
            let facts = download.withLock({ download in
                [.unconfirmed, .stale].contains(download.cache.trust) ? nil : download.resource?.facts
            })
        else { return }
        media.describe(facts)
    }
}
