// SPDX-License-Identifier: Apache-2.0

import Playback
import Kernel

@testable import Media

/// A schedule with a manual clock, and a log of its actions.
struct ScheduleRig {
    static let address = WebAddress("http://origin.example/live/list.m3u8")!

    var schedule: HLSSchedule
    var now = MonotonicTime(nanoseconds: 0)
    /// Segments that were opened and not closed.
    var open: [Int64] = []
    /// All segments ever opened.
    var opened: [Int64] = []
    var fetches = 0
    var reports: [MediaLoading] = []
    var wakes: [MonotonicTime] = []

    init(_ playlist: HLSMediaPlaylist, limits: HLSLimits = HLSLimits()) {
        schedule = HLSSchedule(playlist, name: "list.m3u8", limits: limits, now: now)
        perform(schedule.begin())
    }

    static func playlist(
        _ numbers: ClosedRange<Int64>, isEnded: Bool = false, duration: Double = 4, discontinuity: Int64 = 0,
        gaps: Set<Int64> = []
    ) -> HLSMediaPlaylist {
        let base = HLSBase(address, reach: .anywhere)
        return HLSMediaPlaylist(
            targetDuration: duration, isEnded: isEnded,
            segments: numbers.map {
                HLSSegment(
                    sequence: $0, duration: duration,
                    media: HLSPart(reference: HLSReference("/\($0).ts", from: base)),
                    discontinuity: discontinuity, isGap: gaps.contains($0))
            })
    }

    mutating func want(_ sequence: Int64) -> HLSSchedule.Answer {
        let (answer, actions) = schedule.want(sequence, now: now)
        perform(actions)
        return answer
    }

    mutating func turn(to sequence: Int64, bytes: Int64) {
        perform(schedule.switched(to: sequence, bytes: bytes, now: now))
    }

    /// The first `bytes` of the segment's 1,000 bytes have arrived.
    mutating func arrive(_ sequence: Int64, bytes: Int64 = 1_000) {
        perform(
            schedule.arrived(
                sequence, MediaLoading(ranges: [0..<bytes], size: 1_000, isSatisfied: bytes == 1_000), now: now))
    }

    /// All open segments arrive completely.
    mutating func arriveAll() {
        var done: Set<Int64> = []
        while let next = open.first(where: { !done.contains($0) }) {
            done.insert(next)
            arrive(next)
        }
    }

    mutating func reload(_ playlist: HLSMediaPlaylist) { perform(schedule.playlistArrived(playlist, now: now)) }

    mutating func failReload() {
        perform(schedule.playlistFailed(MediaError(.network, "list.m3u8: no answer."), now: now))
    }

    mutating func pass(_ seconds: Double) {
        let goal = now.advanced(bySeconds: seconds)
        while let next = wakes.min(), next <= goal {
            wakes.removeAll { $0 == next }
            now = max(now, next)
            perform(schedule.tick(now: now))
        }
        now = goal
    }

    private mutating func perform(_ actions: [HLSSchedule.Action]) {
        for action in actions {
            switch action {
            case .open(let segment):
                open.append(segment.sequence)
                opened.append(segment.sequence)
            case .close(let sequence): open.removeAll { $0 == sequence }
            case .fetchPlaylist: fetches += 1
            case .wake(let time): wakes.append(time)
            case .report(let loading): reports.append(loading)
            }
        }
    }
}

extension HLSSchedule.Answer {
    var sequence: Int64? {
        switch self {
        case .segment(let slot), .gap(let slot): slot.segment.sequence
        case .jump(let sequence): sequence
        case .wait, .end, .failed: nil
        }
    }
}

extension HLSMediaPlaylist {
    init(targetDuration: Double, isEnded: Bool, segments: [HLSSegment]) {
        self.init(targetDuration: targetDuration, isEnded: isEnded, slots: HLSSlots())
        self.segments = segments
    }

    var segments: [HLSSegment] {
        get { slots.map(\.segment) }
        set {
            slots = HLSSlots()
            for segment in newValue { slots.append(segment) }
        }
    }
}
