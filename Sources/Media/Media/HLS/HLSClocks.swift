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
