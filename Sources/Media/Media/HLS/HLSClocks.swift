// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// Where in the stream a run begins, by the clock of its recording. Each discontinuity begins another recording.
struct HLSClocks {
    /// A time of 33 bits at 90 kHz begins anew after so many seconds.
    static let wrap = 95_443.717_688_888_89
    /// Farther off than this the clock is not believed.
    static let tolerance = 15.0

    /// The time of a recording's clock at a place of the stream, both in seconds.
    private var known: [Int64: (clock: Double, place: Double)] = [:]

    /// The place of what shows this time; nil when the clock is of no use. `estimate`: the place by the playlist.
    func place(_ recording: Int64, _ clock: MediaDescription.Clock, rate: Int, estimate: Double) -> Double? {
        guard let base = known[recording] else { return nil }
        let distance = clock.start - base.clock
        let places = [-Self.wrap, 0, Self.wrap].map { base.place + distance + $0 }
        guard let place = places.min(by: { abs($0 - estimate) < abs($1 - estimate) }),
            abs(place - estimate) <= Self.tolerance
        else { return nil }
        guard let grid = clock.grid.map(Double.init), grid > 0 else { return place }
        // Clocks are coarser than frames, but a segment begins with a whole one.
        let frames = (place - base.place) * Double(rate)
        let even = (frames / grid).rounded() * grid
        return abs(frames - even) <= 3 ? base.place + even / Double(rate) : place
    }

    mutating func learn(_ recording: Int64, _ clock: MediaDescription.Clock, at place: Double) {
        guard known[recording] == nil else { return }
        // A station that goes on for weeks has a few of them.
        if known.count >= 1_000 { known = [:] }
        known[recording] = (clock.start, place)
    }
}

/// The ID3 tag before a segment of packed audio, which holds the time of its first frame (RFC 8216, section 3.4).
struct TimestampTag {
    /// Bytes of the whole tag.
    let size: Int
    /// Larger ones are no timestamps.
    static let largest = 1 << 20
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// nil for what is no tag. `head`: 10 bytes.
    init?(_ head: some Collection<UInt8>) {
        let head = Array(head)
        guard head.count >= 10, head.starts(with: "ID3".utf8), head[6..<10].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        size = head[6..<10].reduce(0) { $0 << 7 | Int($1) } + (head[5] & 0x10 != 0 ? 20 : 10)
    }

    /// Seconds, from the frame of that owner in all of the tag; nil without one.
    static func seconds(in tag: [UInt8]) -> Double? {
        guard let start = tag.firstRange(of: owner)?.upperBound, tag.count >= start + 8 else { return nil }
        // 33 bits at 90 kHz, the upper ones zero.
        let ticks = tag[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ticks < 1 << 33 ? Double(ticks) / 90_000 : nil
    }
}
