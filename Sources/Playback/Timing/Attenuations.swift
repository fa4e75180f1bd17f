// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Gain factors besides the user's volume, each with its own ramp. The output receives their product in linear pieces.
struct Attenuations {
    enum Source: CaseIterable {
        /// Lowers the music during an announcement.
        case announcement
        /// Falling asleep and rising.
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
    /// The time of the next piece: a ramp ends while another one continues.
    private(set) var next: MonotonicTime?

    /// Starts a ramp from the present gain.
    mutating func move(_ source: Source, to gain: Double, over seconds: Double, now: MonotonicTime) {
        let from = self.gain(of: source, at: now)
        ramps[source] = Ramp(from: from, to: gain, begin: now, end: now.advanced(bySeconds: seconds))
    }

    /// The gain at the end of the ramp.
    func target(of source: Source) -> Double { ramps[source]?.to ?? 1 }

    /// The ramp for the output from `now` until the first of the ramps ends.
    mutating func takePiece(at now: MonotonicTime) -> (gain: Double, seconds: Double) {
        let ends = Set(ramps.values.map(\.end).filter { $0 > now })
        let end = ends.min() ?? now
        next = ends.count > 1 ? end : nil
        let gain = Source.allCases.reduce(1) { $0 * self.gain(of: $1, at: end) }
        return (gain, end.seconds(since: now))
    }

    private func gain(of source: Source, at time: MonotonicTime) -> Double { ramps[source]?.gain(at: time) ?? 1 }
}

extension PlayerCore {
    mutating func attenuate(_ source: Attenuations.Source, to gain: Double, over seconds: Double) {
        attenuations.move(source, to: gain, over: seconds, now: now)
        issueAttenuation()
    }

    mutating func checkAttenuation() {
        if let next = attenuations.next, next <= now { issueAttenuation() }
    }

    private mutating func issueAttenuation() {
        let piece = attenuations.takePiece(at: now)
        actions.append(.output(.duck(piece.gain, seconds: piece.seconds)))
    }
}
