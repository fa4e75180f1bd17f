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

    /// A gain that moves linearly.
    struct Ramp: Hashable {
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

    /// Starts a ramp from the present gain, or sets the gain if the ramp has ended by now.
    mutating func move(_ source: Source, to gain: Double, until end: MonotonicTime, now: MonotonicTime) {
        let present = end > now ? ramp(of: source).gain(at: now) : gain
        ramps[source] = Ramp(from: present, to: gain, begin: now, end: end)
    }

    func ramp(of source: Source) -> Ramp { ramps[source] ?? Ramp() }

    /// The ramp for the output from `now` until the first of the ramps ends.
    mutating func takePiece(at now: MonotonicTime) -> (gain: Double, seconds: Double) {
        let ends = Set(ramps.values.map(\.end).filter { $0 > now })
        let end = ends.min() ?? now
        next = ends.count > 1 ? end : nil
        let gain = Source.allCases.reduce(1) { $0 * ramp(of: $1).gain(at: end) }
        return (gain, end.seconds(since: now))
    }
}

extension PlayerCore {
    mutating func attenuate(_ source: Attenuations.Source, to gain: Double, over seconds: Double) {
        attenuate(source, to: gain, until: now.advanced(bySeconds: seconds))
    }

    mutating func attenuate(_ source: Attenuations.Source, to gain: Double, until end: MonotonicTime) {
        attenuations.move(source, to: gain, until: end, now: now)
        if source == .timer { emit(.faded) }
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
