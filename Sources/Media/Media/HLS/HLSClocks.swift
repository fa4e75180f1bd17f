// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Places runs in the stream by the clocks of their recordings. Each discontinuity begins another recording.
struct HLSClocks {
    /// Seconds after which a 33-bit clock at 90 kHz wraps around.
    static let wrap = 95_443.717_688_888_89
    /// Seconds between clock and playlist beyond which the clock is ignored.
    static let tolerance = 15.0

    /// For each recording, one time of its clock and the matching place in the stream, both in seconds.
    private var known: [Int64: (clock: Double, place: Double)] = [:]

    /// The place in the stream at which `clock` starts; nil if the clock is unusable. `estimate`: the place by the playlist.
    func place(_ recording: Int64, _ clock: MediaDescription.Clock, rate: Int, estimate: Double) -> Double? {
        guard let base = known[recording] else { return nil }
        let distance = clock.start - base.clock
        let places = [-Self.wrap, 0, Self.wrap].map { base.place + distance + $0 }
        guard let place = places.min(by: { abs($0 - estimate) < abs($1 - estimate) }),
            abs(place - estimate) <= Self.tolerance
        else { return nil }
        guard let grid = clock.grid.map(Double.init), grid > 0 else { return place }
        // Clocks are coarser than frames. A segment begins with a whole coding block, so round to the block grid.
        let frames = (place - base.place) * Double(rate)
        let even = (frames / grid).rounded() * grid
        return abs(frames - even) <= 3 ? base.place + even / Double(rate) : place
    }

    mutating func learn(_ recording: Int64, _ clock: MediaDescription.Clock, at place: Double) {
        guard known[recording] == nil else { return }
        // Bounds memory on a station that plays for weeks.
        if known.count >= 1_000 { known = [:] }
        known[recording] = (clock.start, place)
    }
}

/// The ID3 tag before a segment of packed audio, which holds the time of its first frame (RFC 8216, section 3.4).
enum TimestampTag {
    /// Bytes; a larger tag is not a timestamp.
    static let largest: Int64 = 1 << 20
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// Seconds, from the PRIV frame of that owner in a whole tag; nil without one.
    static func seconds(in tag: [UInt8]) -> Double? {
        guard let start = tag.firstRange(of: owner)?.upperBound, tag.count >= start + 8 else { return nil }
        // 33 bits at 90 kHz; the upper bits are zero.
        let ticks = tag[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ticks < 1 << 33 ? Double(ticks) / 90_000 : nil
    }
}
