// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The part of a file that is in the cache.
struct CachedPart {
    enum Trust {
        /// Nothing is cached, or the server has another version.
        case none
        /// Incomplete, and not revalidated yet.
        case unconfirmed
        /// Complete, but so old that it is revalidated first if the server responds.
        case stale
        /// Revalidated, or complete and fresh.
        case confirmed
    }

    /// Cached bytes.
    var ranges = RangeSet<Int64>()
    var trust = Trust.none
}

extension Download {
    mutating func use(_ facts: CachedFacts, _ ranges: RangeSet<Int64>, isFresh: Bool) {
        guard !ranges.isEmpty else { return }
        cache.ranges = ranges
        resource = RemoteResource(address: original, facts: facts, hasRanges: true)
        // The cache keeps it.
        resource?.facts.lifetime = nil
        let isComplete = facts.size.map { ranges.contains(0) && missing(from: 0) >= $0.bytes } ?? false
        cache.trust = !isComplete ? .unconfirmed : isFresh ? .confirmed : .stale
    }

    /// Fields of a revalidation request (RFC 9110, section 13.1).
    var conditionalFields: [TransferHeader] {
        [
            resource?.facts.entityTag.map { TransferHeader("If-None-Match", $0) },
            resource?.facts.lastModified.map { TransferHeader("If-Modified-Since", $0) },
        ].compactMap { $0 }
    }

    /// Handles the response to a revalidation. The cached media is deleted if there is another version, or if the server forbids to
    /// store it. It is also played if the server has removed it, refuses it or fails.
    mutating func checkCache(_ head: TransferHead, _ fetch: Fetch, reach: NetworkReach) {
        if (301...308).contains(head.status), head.status != 304, let location = head["Location"] {
            redirect(fetch, to: location, reach: reach)
            if failure != nil { (failure, cache.trust) = (nil, .confirmed) }
            return
        }
        stop(fetch)
        let isForbidden = Freshness.forbidsStorage(head)
        switch head.status == 304 ? nil : ResponseVerdict(head, from: fetch.address, offset: 0, known: resource) {
        case nil where isForbidden, .body where isForbidden, .changed: forgetCache()
        case nil, .body:
            cache.trust = .confirmed
            actions.append(.confirm(lifetime: Freshness.lifetime(head)))
        case .redirect, .end, .later, .fail: cache.trust = .confirmed
        }
    }

    /// The cache has stored more bytes.
    mutating func cacheGrew(_ range: Range<Int64>) {
        guard cache.trust == .none || cache.trust == .confirmed else { return }
        cache.trust = .confirmed
        cache.ranges.insert(contentsOf: range)
    }

    /// A read from the cache has failed: loads the media without it.
    mutating func cacheFailed(now: MonotonicTime) -> [Action] {
        dropCache()
        return tick(now: now)
    }

    mutating func confirmCache() {
        if cache.trust == .unconfirmed { cache.trust = resource?.isLive == true ? .none : .confirmed }
        if cache.trust == .none { cache.ranges = RangeSet() }
    }

    /// Starts over, as the cached media may not be used and nothing of it was read.
    mutating func forgetCache() {
        dropCache()
        resource = nil
        window.removeAll()
    }

    /// Deletes the cached media. Missing bytes come from the network.
    mutating func dropCache() {
        cache = CachedPart()
        actions.append(.forget)
    }

    /// The end of the cached range that holds this byte; nil if it is not usable. When the network has failed, cached bytes are
    /// used without revalidation.
    func readableCached(from offset: Int64) -> Int64? {
        guard failure?.code != .cancelled,
            cache.trust == .confirmed || cache.trust == .unconfirmed && failure?.code == .network
        else { return nil }
        return cache.ranges.end(around: offset)
    }

    /// Offset at which the next bytes of this transfer are cached; nil if they are not.
    func keptOffset(of id: TransferID) -> Int64? {
        guard case .receiving(let fetch) = phase, fetch.id == id, resource?.mayBeKept == true else { return nil }
        return fetch.cursor
    }

    var atHand: RangeSet<Int64> { cache.ranges.isEmpty ? window.loaded : window.loaded.union(cache.ranges) }

    /// All bytes are in the window, or in the cache once it is confirmed.
    var isWhole: Bool {
        guard let size = resource?.size else { return false }
        return (cache.trust == .confirmed ? missing(from: 0) : window.missing(from: 0)) >= size.bytes
    }

    func missing(from offset: Int64) -> Int64 { atHand.end(around: offset) ?? offset }

    func nextAtHand(after offset: Int64) -> Int64? {
        atHand.ranges.first { $0.lowerBound > offset }?.lowerBound
    }
}

extension HTTPSource {
    /// Starts to store the media in the cache, including the bytes loaded so far.
    func keep() {
        guard let cache, download.withLock({ $0.resource?.mayBeKept == true }) else { return }
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

    /// Follows the cache's writes until the entry is forgotten.
    func follow(_ media: any CachedMedia) {
        media.onWritten { [weak self, weak media] range in
            self?.download.change { download in
                guard let media, self?.cached.withLock({ $0 === media }) == true else { return }
                download.cacheGrew(range)
            }
        }
    }

    /// Passes the server's facts to the cache.
    func describe() {
        guard let media = cached.withLock({ $0 }),
            let facts = download.withLock({ download in
                [.unconfirmed, .stale].contains(download.cache.trust) ? nil : download.resource?.facts
            })
        else { return }
        media.describe(facts)
    }
}
