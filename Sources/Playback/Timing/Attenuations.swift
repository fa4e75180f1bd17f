// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Factors beside the user's volume, each on a ramp of its own. The output knows one factor, their product, and gets it in
/// straight pieces.
struct Attenuations {
    enum Source: CaseIterable {
        /// The music is quieter while something is announced.
        case announcement
        /// Falling asleep and waking up.
        case timer
    }

    private struct Ramp {
        var from = 1.0
        var to = 1.0
        var begin = MonotonicTime(nanoseconds: 0)
        var end = MonotonicTime(nanoseconds: 0)

        func gain(at time: MonotonicTime) -> Double {
            if time >= end { return to }
            let length = end.seconds(since: begin)
            return from + (to - from) * max(0, time.seconds(since: begin)) / length
        }
    }

    private var ramps: [Source: Ramp] = [:]
    /// When a ramp ends while another one goes on: another piece follows then.
    private(set) var next: MonotonicTime?

    /// From wherever the last ramp had got to.
    mutating func move(_ source: Source, to gain: Double, over seconds: Double, now: MonotonicTime) {
        let from = self.gain(of: source, at: now)
        ramps[source] = Ramp(from: from, to: gain, begin: now, end: now.advanced(bySeconds: seconds))
    }

    /// At the end of its ramp.
    func target(of source: Source) -> Double { ramps[source]?.to ?? 1 }

    /// The piece that the output gets now.
    mutating func takePiece(at now: MonotonicTime) -> (gain: Double, seconds: Double) {
        next = nextPiece(after: now)
        return piece(at: now)
    }

    /// The output's ramp from `now` on: it lasts until the first of the ramps ends.
    func piece(at now: MonotonicTime) -> (gain: Double, seconds: Double) {
        let end = ramps.values.map(\.end).filter { $0 > now }.min() ?? now
        let gain = Source.allCases.reduce(1) { $0 * self.gain(of: $1, at: end) }
        return (gain, end.seconds(since: now))
    }

    /// When another piece follows; nil unless a ramp goes on when another one ends.
    func nextPiece(after now: MonotonicTime) -> MonotonicTime? {
        let ends = Set(ramps.values.map(\.end).filter { $0 > now })
        return ends.count > 1 ? ends.min() : nil
    }

    private func gain(of source: Source, at time: MonotonicTime) -> Double { ramps[source]?.gain(at: time) ?? 1 }
}

extension PlayerCore {
    mutating func attenuate(_ source: Attenuations.Source, to gain: Double, over seconds: Double) {
        attenuations.move(source, to: gain, over: seconds, now: now)
        issueAttenuation()
    }

    /// A ramp has ended while another one goes on.
    mutating func checkAttenuation() {
        if let next = attenuations.next, next <= now { issueAttenuation() }
    }

    private mutating func issueAttenuation() {
        let piece = attenuations.takePiece(at: now)
        actions.append(.output(.duck(piece.gain, seconds: piece.seconds)))
    }
}
