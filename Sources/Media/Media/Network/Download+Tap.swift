// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Where somebody stands who takes all bytes of a media along, in order, as they come. It does not decide what is fetched:
/// the window is the only room between the two, and what has left it is lost to the taker.
struct Tapped {
    /// Connections of a station that are remembered until they are reached.
    private static let mostSeams = 64

    /// Up to which all bytes have come since it began.
    private(set) var reached: Int64
    /// Where a station was joined anew: something is missing before these bytes.
    private var seams: [Int64] = []

    init(reached: Int64) { self.reached = reached }

    mutating func came(_ range: Range<Int64>) {
        if range.lowerBound <= reached { reached = max(reached, range.upperBound) }
    }

    mutating func joined(at offset: Int64) {
        guard seams.last != offset else { return }
        if seams.count >= Self.mostSeams { seams.removeFirst() }
        seams.append(offset)
    }

    /// Whether something is missing before this byte, which is taken now; and up to which byte nothing is.
    mutating func pass(_ offset: Int64) -> (isAfterGap: Bool, end: Int64) {
        let isAfterGap = seams.contains(offset)
        seams.removeAll { $0 <= offset }
        return (isAfterGap, seams.first ?? .max)
    }
}

extension Download {
    enum TapAnswer: Equatable {
        /// What is there, not beyond this byte.
        case available(upTo: Int64, isAfterGap: Bool)
        /// The same, in the cache.
        case cached(upTo: Int64)
        case wait
        case end
        /// It was there and has left the window.
        case late
        /// The reader has gone elsewhere, and what comes does not join it.
        case elsewhere
        case failed(MediaError)
    }

    /// Of a station: from the byte that is read next. Of anything else: from its first byte, as long as all that follows is
    /// there, or will be. nil: it is not.
    mutating func beginTap() -> Int64? {
        guard let resource, failure == nil else { return nil }
        let start = resource.isLive ? place : 0
        let reached = missing(from: start)
        tapped = Tapped(reached: reached)
        if resource.isLive || isComing(reached) { return start }
        tapped = nil
        return nil
    }

    /// The tap wants the byte at `offset`.
    mutating func tap(at offset: Int64) -> TapAnswer {
        if window.loaded.contains(offset) {
            let (isAfterGap, end) = tapped?.pass(offset) ?? (false, .max)
            return .available(upTo: end, isAfterGap: isAfterGap)
        }
        if let end = readableCached(from: offset) { return .cached(upTo: end) }
        if let failure { return .failed(failure) }
        if let size = resource?.size, offset >= size.bytes { return .end }
        if let tapped, offset < tapped.reached { return .late }
        return resource?.isLive == true || isComing(offset) ? .wait : .elsewhere
    }

    /// Whether this byte, which is missing, comes when everything goes on as it does. True also at the end.
    private func isComing(_ offset: Int64) -> Bool {
        if let size = resource?.size, offset >= size.bytes { return true }
        return (fetch?.cursor ?? missing(from: place)) <= offset
    }
}
