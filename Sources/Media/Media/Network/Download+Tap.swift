// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// State of a tap: a second reader that copies all bytes of a source in order. It has no influence on what is fetched. The window
/// is the only buffer: the tap loses bytes that leave it.
struct Tapped {
    /// Reconnects of a station that are remembered until the tap reaches them.
    private static let mostSeams = 64

    /// All bytes from the tap's start up to here have arrived.
    private(set) var reached: Int64
    /// Offsets at which a station was reconnected: some audio is missing before them.
    private var seams: [Int64] = []

    init(reached: Int64) { self.reached = reached }

    mutating func arrived(_ range: Range<Int64>) {
        if range.lowerBound <= reached { reached = max(reached, range.upperBound) }
    }

    mutating func joined(at offset: Int64) {
        guard seams.last != offset else { return }
        if seams.count >= Self.mostSeams { seams.removeFirst() }
        seams.append(offset)
    }

    /// The tap reads at `offset`. Returns whether audio is missing before it, and the offset of the next gap.
    mutating func pass(_ offset: Int64) -> (isAfterGap: Bool, end: Int64) {
        let isAfterGap = seams.contains(offset)
        seams.removeAll { $0 <= offset }
        return (isAfterGap, seams.first ?? .max)
    }
}

extension Download {
    enum TapAnswer: Equatable {
        /// Bytes up to this offset are in the window.
        case available(upTo: Int64, isAfterGap: Bool)
        /// Bytes up to this offset are in the cache.
        case cached(upTo: Int64)
        case wait
        case end
        /// The byte has left the window.
        case late
        /// After a seek, the transfer will not deliver this byte.
        case elsewhere
        case failed(MediaError)
    }

    /// Starts a tap and returns its first offset. A station is tapped from the read position, a file from its beginning; nil if
    /// some of the file is neither loaded nor on its way.
    mutating func beginTap() -> Int64? {
        guard let resource, failure == nil else { return nil }
        let start = resource.isLive ? place : 0
        let reached = missing(from: start)
        tapped = Tapped(reached: reached)
        if resource.isLive || isComing(reached) { return start }
        tapped = nil
        return nil
    }

    /// The tap reads at `offset`.
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

    /// Whether the transfer under way will deliver this missing byte. True at the end as well.
    private func isComing(_ offset: Int64) -> Bool {
        if let size = resource?.size, offset >= size.bytes { return true }
        return (fetch?.cursor ?? missing(from: place)) <= offset
    }
}
