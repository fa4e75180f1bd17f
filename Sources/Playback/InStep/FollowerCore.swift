// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Keeps one player in step with another, as a pure decision: readings of both go in, the follower's next step comes out.
///
/// The follower's queue holds the leader's item and, once known, the next one, so that the follower crosses the border
/// without a gap, like the leader. The distance between both is measured at the same moment by the clocks of both sinks.
struct FollowerCore {
    /// Seconds; a smaller distance counts as in step.
    static let tolerance = 0.002
    /// Seconds; a larger distance cannot be corrected by a shift.
    static let reach = 0.25
    /// Seconds until a shift or a start is heard and can be measured.
    static let settling = 0.3
    /// Seconds between looks while out of step or measuring, and while in step.
    private static let searching = 0.06
    private static let resting = 1.0
    private static let readings = 3

    /// A leader's item and its copy in the follower's queue.
    private struct Mirror {
        var leader: ItemID
        var follower: ItemID?
    }

    private var current: Mirror?
    private var next: Mirror?
    /// Items in the follower's queue that were heard.
    private var past: [ItemID] = []
    private var startDelay = StartDelay()
    /// The leader's jumps at the last look.
    private var jumps: UInt64?
    /// The leader has jumped, and the follower may not have followed yet.
    private(set) var isBehindJump = false
    /// The position at which both wait in silence.
    private var silentPosition: Double?
    /// The playback that the follower has.
    private var playback = LeaderPlayback()
    private var gathered: [Double] = []
    private var settledAt = MonotonicTime(nanoseconds: 0)
    /// The last shift in seconds; nil once it is heard or has been waited for, or if the follower has started since.
    private var shifted: Double?
    /// The seconds by which the leader was ahead at the last measurement; nil while unknown.
    private(set) var offset: Double?
    /// The time of the next look without a report; nil: only after a report.
    private(set) var nextLook: MonotonicTime?

    /// Sets the id of the leader's item in the follower's queue, known once it was added.
    mutating func loaded(_ id: ItemID?) { current?.follower = id }
    mutating func appended(_ id: ItemID?) { next?.follower = id }

    /// Starts from scratch: a command failed, or somebody else changed the follower's queue.
    mutating func forget() {
        current = nil
        next = nil
        past = []
        offset = nil
        gathered = []
        isBehindJump = false
        silentPosition = nil
    }

    mutating func look(_ leader: StepReading, _ follower: StepReading, now: MonotonicTime) -> Step {
        nextLook = nil
        // A draining leader: both play to the end, which is reported.
        if leader.status == .stopping, leader.isPlayed, follower.wantsSound { return .wait }
        guard let item = leader.item, !leader.status.isAtRest else { return rest(leader, follower) }
        // A follower that is about to pause keeps the gain of the fade that ended.
        if playback != leader.playback, leader.wantsSound || !follower.wantsSound {
            playback = leader.playback
            return .adapt(playback)
        }
        if current == nil, let own = follower.item, isAlreadyInStep(item, own, leader, follower) {
            current = Mirror(leader: item.id, follower: own.id)
            return .adopt(own.id, as: item.id)
        }
        if jumps != leader.jumps {
            isBehindJump = jumps != nil && current != nil && !leader.isLive && follower.isSeekable
            jumps = leader.jumps
            gathered = []
            startDelay.jumped()
            if isBehindJump { settledAt = now }
        }
        crossBorder(leader, follower)
        guard current?.leader == item.id, follower.item?.id == current?.follower else {
            // One of the players has crossed the border, and the other one is about to.
            if current?.leader == item.id && leader.isNearBorder || next?.leader == item.id && follower.isNearBorder,
                follower.wantsSound
            {
                return again(now, in: Self.searching)
            }
            return load(item, leader, now)
        }
        guard leader.wantsSound, leader.isPlayed || leader.status != .playing else { return silence(leader, follower) }
        switch leader.status {
        case .playing: break
        case .buffering, .interrupted: return silence(leader, follower)
        default: return again(now, in: Self.searching)
        }
        guard follower.wantsSound else {
            // The leader's effects decay after its last item.
            if !leader.isLive, let end = leader.end, leader.position >= end - Self.reach * leader.tempo.rate {
                return .wait
            }
            return leader.isLive ? .play(position: nil) : start(leader, now)
        }
        if let step = prepareNext(leader) { return step }
        if leader.isLive { return .wait }
        guard let lead = leader.heard, let mine = follower.heard, lead.rate == mine.rate, now >= settledAt else {
            return again(now, in: follower.status == .interrupted ? Self.resting : Self.searching)
        }
        return keepStep(lead.ahead(of: mine), leader, follower, now)
    }

    /// Adapts a command to the time that has passed since the look: for a slow thread, or a queue edit that was saved
    /// first.
    func onTime(_ command: PlayerCommand, since look: MonotonicTime, now: MonotonicTime) -> PlayerCommand {
        guard case .play(let target, let position?) = command else { return command }
        return .play(target, position: position + now.seconds(since: look) * playback.tempo.rate)
    }

    // MARK: Parts of a look

    /// The same media, at the same position or silent in both: for example, both followed a third player, or each other.
    private func isAlreadyInStep(
        _ item: QueueItem, _ own: QueueItem, _ leader: StepReading, _ follower: StepReading
    ) -> Bool {
        guard item.draft.isSameMedia(as: own.draft) else { return false }
        if leader.isLive { return leader.status == .playing && follower.status == .playing }
        if let lead = leader.heard, let mine = follower.heard { return abs(lead.ahead(of: mine)) <= Self.reach }
        return leader.status == .paused && follower.status == .paused
    }

    private mutating func rest(_ leader: StepReading, _ follower: StepReading) -> Step {
        // The follower's own end is only milliseconds away, and nothing follows.
        if leader.status == .completed, follower.wantsSound, follower.isNearBorder, next == nil { return .wait }
        let mayRun = follower.wantsSound || follower.status == .paused
        // It may reach the item's end before the leader's stop.
        let hasCompleted = follower.status == .completed && leader.status == .stopped
        forget()
        return mayRun || hasCompleted ? .stop : .wait
    }

    private mutating func silence(_ leader: StepReading, _ follower: StepReading) -> Step {
        offset = nil
        gathered = []
        isBehindJump = false
        if follower.wantsSound { return .pause }
        guard leader.isSilentInPlace, follower.isSilentInPlace, !leader.isLive, follower.isSeekable,
            abs(leader.position - follower.position) > Self.reach, silentPosition != leader.position
        else { return .wait }
        silentPosition = leader.position
        return .seek(leader.position)
    }

    /// Both players have changed to the next item.
    private mutating func crossBorder(_ leader: StepReading, _ follower: StepReading) {
        guard let next, leader.item?.id == next.leader, follower.item?.id == next.follower, next.follower != nil else {
            return
        }
        if let heard = current?.follower { past.append(heard) }
        current = next
        self.next = nil
        gathered = []
    }

    private mutating func load(_ item: QueueItem, _ leader: StepReading, _ now: MonotonicTime) -> Step {
        forget()
        current = Mirror(leader: item.id)
        guard leader.wantsSound, leader.status == .playing, leader.isPlayed else {
            return .load(item.mirror, position: nil)
        }
        if leader.isLive { return .join(item.mirror) }
        startsNow(now)
        return .load(item.mirror, position: leader.position + startDelay.seconds * leader.tempo.rate)
    }

    private mutating func start(_ leader: StepReading, _ now: MonotonicTime) -> Step {
        isBehindJump = false
        silentPosition = nil
        startsNow(now)
        return .play(position: leader.position + startDelay.seconds * leader.tempo.rate)
    }

    private mutating func startsNow(_ now: MonotonicTime) {
        startDelay.started()
        settle(now)
    }

    private mutating func settle(_ now: MonotonicTime, shifted: Double? = nil) {
        gathered = []
        self.shifted = shifted
        settledAt = now.advanced(bySeconds: Self.settling)
        nextLook = settledAt
    }

    private mutating func again(_ now: MonotonicTime, in seconds: Double) -> Step {
        nextLook = now.advanced(bySeconds: seconds)
        return .wait
    }

    private mutating func prepareNext(_ leader: StepReading) -> Step? {
        if let heard = past.popLast() { return .remove(heard) }
        guard leader.upcoming?.id != next?.leader else { return nil }
        if let stale = next?.follower {
            next = nil
            return .remove(stale)
        }
        next = leader.upcoming.map { Mirror(leader: $0.id) }
        return leader.upcoming.map { .append($0.mirror) }
    }

    /// A single reading may be wrong: the median of three counts. After a jump, a single large distance is enough.
    private mutating func keepStep(
        _ apart: Double, _ leader: StepReading, _ follower: StepReading, _ now: MonotonicTime
    ) -> Step {
        if abs(apart) <= Self.reach { isBehindJump = false }
        gathered.append(apart)
        // Near a border, the follower may be about to make the same jump of a loop.
        guard isBehindJump && !follower.isNearBorder || gathered.count >= Self.readings else {
            return again(now, in: Self.searching)
        }
        let middle = gathered.sorted()[gathered.count / 2]
        gathered = []
        offset = middle
        if abs(middle) > Self.reach {
            // A loop or a border looks like a large distance for a moment.
            if leader.isNearBorder, follower.isNearBorder { return again(now, in: Self.searching) }
            // Reloading the media from its start would not bring it nearer.
            guard follower.isSeekable else { return again(now, in: Self.resting) }
            startDelay.learn(middle)
            return start(leader, now)
        }
        startDelay.learn(middle)
        guard abs(middle) > Self.tolerance else {
            shifted = nil
            return again(now, in: Self.resting)
        }
        // The same distance again: the output's thread is late, and the last shift is not heard yet.
        let isPending = shifted.map { abs($0 - middle) < Self.tolerance } ?? false
        settle(now, shifted: isPending ? nil : middle)
        return isPending ? .wait : .shift(middle)
    }
}

extension QueueItem {
    /// The copy for a follower's queue.
    fileprivate var mirror: ItemDraft {
        var draft = draft
        draft.reference = id.number
        return draft
    }
}

extension ItemDraft {
    public func isSameMedia(as other: ItemDraft) -> Bool {
        var copy = other
        copy.reference = reference
        return self == copy
    }
}

extension PlayerStatus {
    fileprivate var isAtRest: Bool {
        switch self {
        case .idle, .stopping, .stopped, .completed, .failed: true
        case .loading, .ready, .playing, .paused, .buffering, .seeking, .interrupted: false
        }
    }
}
