// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Chooses the bytes to fetch, and handles failures and timeouts.
extension Download {
    /// Starts, resumes or ends the transfer, so that it delivers the first missing byte at the read position.
    mutating func steer() {
        guard failure == nil else {
            if let fetch { stop(fetch) }
            phase = .idle
            return
        }
        guard cache.trust != .stale else {
            if case .idle = phase { start(at: 0) }
            return
        }
        let target = missing(from: place)
        if let end, target >= end, cache.trust != .unconfirmed {
            // A transfer that has delivered the last byte ends by itself, and its connection can be reused.
            if let fetch,
                fetch.cursor < min(end, fetch.end ?? end) || (fetch.end == nil && end != resource?.size?.bytes)
            {
                stop(fetch)
            }
            return
        }
        switch phase {
        case .waiting: return
        case .idle:
            if target < place + window.reach / 2 || cache.trust == .unconfirmed { start(at: target) }
        case .requesting(let fetch): if !delivers(target, fetch) { restart(fetch, at: target) }
        // It has reached bytes that are loaded already, and ends by itself.
        case .receiving(let fetch) where fetch.end.map({ fetch.cursor >= $0 }) ?? false: return
        case .receiving(var fetch):
            guard delivers(target, fetch) else { return restart(fetch, at: target) }
            guard fetch.isPaused, fetch.cursor < place + window.reach / 4 * 3 else { return }
            fetch.isPaused = false
            fetch.lastProgress = now
            phase = .receiving(fetch)
            actions.append(.resume(fetch.id))
        }
    }

    /// The end of the wanted range; nil while unknown.
    var end: Int64? {
        [resource?.size?.bytes, resource == nil ? nil : piece?.range?.upperBound].compactMap { $0 }.min()
    }

    var fetch: Fetch? {
        switch phase {
        case .requesting(let fetch), .receiving(let fetch): fetch
        case .idle, .waiting: nil
        }
    }

    /// Whether the transfer will deliver `target` soon enough. Without range support, a new request would not be faster unless the
    /// transfer is past `target`.
    private func delivers(_ target: Int64, _ fetch: Fetch) -> Bool {
        guard fetch.cursor <= target, fetch.end.map({ target < $0 }) ?? true else { return false }
        return target - fetch.cursor <= limits.gap || resource?.hasRanges == false
    }

    private mutating func restart(_ fetch: Fetch, at target: Int64) {
        if resource?.isLive == true { return fail(.network, "\(original.name): a live stream cannot go back.") }
        stop(fetch)
        start(at: target)
    }

    mutating func stop(_ fetch: Fetch) {
        actions.append(.cancel(fetch.id))
        phase = .idle
    }

    private mutating func start(at target: Int64) {
        let hasRanges = resource?.hasRanges != false
        let offset = hasRanges || resource?.isLive == true ? target : 0
        // The redirected address may have expired: after a failure, start again at the original one.
        let address = failedTries == 0 ? resource?.address ?? original : original
        let wanted = [nextAtHand(after: offset), piece?.range?.upperBound].compactMap { $0 }.min()
        let reach = address == original ? reach : resource?.reach ?? reach
        start(address, reach: reach, offset: offset, end: hasRanges ? wanted : nil, redirects: 0)
    }

    private mutating func start(
        _ address: WebAddress, reach: NetworkReach, offset: Int64, end: Int64?, redirects: Int
    ) {
        let fetch = Fetch(
            id: .next(), address: address, reach: reach, offset: offset, end: end, redirects: redirects,
            cursor: offset, lastProgress: now)
        phase = .requesting(fetch)
        actions.append(
            .start(
                TransferRequest(
                    address: address, headers: requestFields(for: address, offset: offset, end: end),
                    connectLimit: limits.connect, reach: reach),
                fetch.id))
    }

    private func requestFields(for address: WebAddress, offset: Int64, end: Int64?) -> [TransferHeader] {
        var result = address.mayReceiveFields(of: original) ? fields.filter(Self.mayBeSet) : []
        if cache.trust == .stale { return result + conditionalFields }
        // Radio servers then send titles.
        if piece == nil { result.append(TransferHeader("Icy-MetaData", "1")) }
        guard resource?.hasRanges != false, piece == nil || offset > 0 || end != nil else { return result }
        result.append(TransferHeader("Range", "bytes=\(offset)-" + (end.map { "\($0 - 1)" } ?? "")))
        if wasRead || cache.trust == .unconfirmed, let validator = resource?.validator {
            result.append(TransferHeader("If-Range", validator))
        }
        return result
    }

    /// False for fields that affect framing, ranges or the connection.
    private static func mayBeSet(_ field: TransferHeader) -> Bool {
        let reserved: Set<String> = [
            "host", "range", "if-range", "icy-metadata", "accept-encoding", "connection", "content-length",
            "transfer-encoding", "te",
            "upgrade", "expect", "keep-alive", "trailer", "proxy-authorization", "proxy-connection",
        ]
        return !reserved.contains(field.name.lowercased())
    }

    /// `reach`: where the redirecting server may lead.
    mutating func redirect(_ fetch: Fetch, to location: String, reach: NetworkReach) {
        stop(fetch)
        guard fetch.redirects < limits.redirects else {
            return fail(.network, "\(original.name) redirects too often.")
        }
        guard let next = fetch.address.redirected(to: location) else {
            return fail(.network, "\(sender(fetch)) redirects to an invalid address.")
        }
        guard next.isSecure || !fetch.address.isSecure else {
            return fail(.network, "\(sender(fetch)) redirects from https to http; refused.")
        }
        start(next, reach: reach, offset: fetch.offset, end: fetch.end, redirects: fetch.redirects + 1)
    }

    // MARK: Ends and failures

    /// The name in messages about the server: the media's, with the host that a redirect has led to.
    func sender(_ fetch: Fetch) -> String {
        fetch.address.host == original.host ? original.name : "\(original.name): \(fetch.address.host)"
    }

    mutating func bodyEnded(_ fetch: Fetch) {
        guard let expected = fetch.end ?? resource?.size?.bytes else { return ended(at: fetch.cursor, fetch) }
        if fetch.cursor < expected {
            lost("\(sender(fetch)) sent fewer bytes than announced.")
        } else {
            failedTries = 0
        }
    }

    /// The file's end is at `size`.
    mutating func ended(at size: Int64, _ fetch: Fetch) {
        if resource?.isPresumed == true {
            let seconds = fetch.receivingSince.map { now.seconds(since: $0) } ?? 0
            if size - place > limits.stationTail || (fetch.offset == 0 && seconds < 10) { turnIntoFile() }
        }
        if resource?.isLive == true {
            return lost("\(sender(fetch)) has ended the stream.")
        }
        if size == 0 { return failEmpty() }
        resource = resource ?? RemoteResource(address: fetch.address, hasRanges: false)
        resource?.size = ByteCount(size)
        failedTries = 0
    }

    /// The presumed station is a file.
    mutating func turnIntoFile() {
        resource?.isLive = false
        resource?.isPresumed = false
    }

    mutating func failEmpty() { fail(.empty, "\(original.name) is empty (0 bytes).") }

    mutating func fail(_ code: MediaError.Code, _ message: String) {
        if failure == nil { failure = MediaError(code, message) }
    }

    /// An attempt has failed. The next one follows after a growing delay, up to the limit.
    mutating func lost(_ message: String, retryAfter: Double? = nil) {
        failedTries += 1
        let most = resource?.isLive == true ? limits.stationRetries : limits.retries
        guard failedTries <= most, (retryAfter ?? 0) <= limits.longestRetryAfter else {
            return fail(.network, message)
        }
        let pause = min(limits.longestRetryDelay, limits.retryDelay * Double(1 << min(failedTries - 1, 10)))
        phase = .waiting(until: now.advanced(bySeconds: max(pause, retryAfter ?? 0)))
    }

    // MARK: Time

    private static func isOver(_ since: MonotonicTime, _ seconds: Double, at now: MonotonicTime) -> Bool {
        now.seconds(since: since) >= seconds - 0.0005
    }

    mutating func checkDeadlines() {
        guard failure == nil else { return }
        if cache.trust == .stale, Self.isOver(opened, limits.check, at: now) {
            if let fetch { stop(fetch) }
            cache.trust = .confirmed
        }
        if resource == nil, Self.isOver(opened, limits.start, at: now) {
            return fail(.network, "\(original.name) did not begin to send within \(Int(limits.start)) s.")
        }
        switch phase {
        case .idle: return
        case .waiting(let time): if time <= now { phase = .idle }
        case .requesting(let fetch), .receiving(let fetch):
            guard !fetch.isPaused, Self.isOver(fetch.lastProgress, limits.stall, at: now) else { return }
            stop(fetch)
            lost("\(sender(fetch)) has sent nothing for \(Int(limits.stall)) s.")
        }
    }

    /// Waiting for bytes.
    var isWanting: Bool {
        switch phase {
        case .idle: false
        case .waiting, .requesting: true
        case .receiving(let fetch): !fetch.isPaused && end != fetch.cursor
        }
    }

    var isSatisfied: Bool {
        if failure != nil { return true }
        guard resource != nil else { return false }
        return !isWanting
    }

    var lastProgress: MonotonicTime { fetch?.lastProgress ?? reporting.lastBytes ?? opened }

    var nextWake: MonotonicTime? {
        guard failure == nil else { return reporting.nextDue }
        var times = [reporting.nextDue].compactMap { $0 }
        if resource == nil { times.append(opened.advanced(bySeconds: limits.start)) }
        if cache.trust == .stale { times.append(opened.advanced(bySeconds: limits.check)) }
        switch phase {
        case .idle: break
        case .waiting(let time): times.append(time)
        case .requesting(let fetch), .receiving(let fetch):
            guard !fetch.isPaused else { break }
            times.append(fetch.lastProgress.advanced(bySeconds: limits.stall))
        }
        let stall = lastProgress.advanced(bySeconds: LoadingReports.stallAfter)
        if isWanting, stall > now { times.append(stall) }
        return times.min()
    }
}
