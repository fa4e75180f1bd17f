// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// How a leader plays, as far as its followers do alike.
public struct LeadersManner: Hashable, Sendable {
    public var tempo = Tempo.normal
    /// Seconds between items that sound together.
    public var crossfade = 0.0
    /// Nothing is heard after the current item, which is about to end.
    public var isLast = false
}

/// The visible state of a player at one moment.
struct StepReading: Sendable {
    var item: QueueItem?
    var upcoming: QueueItem?
    var status = PlayerStatus.idle
    var wantsSound = false
    /// Seconds into the item.
    var position = 0.0
    /// Media seconds per second.
    var rate = 0.0
    /// Of the position, so far: seeks, rounds of a loop, items.
    var jumps: UInt64 = 0
    var manner = LeadersManner()
    /// At which it is played, or would be.
    var tempo: Tempo { manner.tempo }
    /// Seconds into the item where the next one begins.
    var end: Double?
    /// A station: each player hears it as it comes, and their positions are unrelated.
    var isLive = false
    var isSeekable = true
    /// Exact; nil unless sound advances.
    var heard: AudiblePosition?

    /// Within the last second of the item: it may go over to the next at any moment.
    var isNearBorder: Bool {
        position < tempo.rate || (end.map { $0 - position < 1.5 * tempo.rate } ?? false)
    }

    var isSilentInPlace: Bool { !wantsSound && (status == .paused || status == .ready) }

    /// Not scanned, and not silent.
    var isPlayed: Bool { rate == tempo.rate }
}

/// Keeps one player in step with another, as a pure decision: readings of both go in, what the follower is to do comes out.
///
/// The follower's queue holds the leader's item and, once that is known, the one after it, so that it crosses the border
/// without a gap, as the leader does. How far apart the two are is measured at the same moment on the clocks of both sinks.
struct FollowerCore {
    enum Step: Equatable {
        /// Nothing until the next look.
        case wait
        /// Keeps its current item, which is the leader's, and removes the others.
        case adopt(ItemID, as: ItemID)
        /// Makes the item the whole queue; `position` nil: stays silent.
        case load(ItemDraft, position: Double?)
        /// Makes the station the whole queue, and plays it.
        case join(ItemDraft)
        case append(ItemDraft)
        case remove(ItemID)
        /// nil: where it is.
        case play(position: Double?)
        /// Silently.
        case seek(Double)
        case pause
        case stop
        case adapt(LeadersManner)
        /// Is heard so many seconds earlier.
        case shift(Double)

        /// One after another. `queue`: the follower's items.
        func commands(_ queue: () -> [ItemID]) -> [PlayerCommand] {
            switch self {
            case .wait: return []
            case .adopt(let id, let leaders):
                let others = queue().filter { $0 != id }
                var patch = ItemPatch()
                patch.reference = leaders.number
                let update = PlayerCommand.edit(.update(id, patch), expected: nil, play: false)
                return others.isEmpty ? [update] : [update, .edit(.remove(others), expected: nil, play: false)]
            case .load(let draft, nil):
                return [.pauseWithLeader, .edit(.replace([draft], startIndex: nil), expected: nil, play: false)]
            case .load(let draft, let position?):
                return Self.load(draft, position: nil).commands(queue) + [.play(.current, position: position)]
            case .join(let draft):
                return Self.load(draft, position: nil).commands(queue) + [.play(.current, position: nil)]
            case .append(let draft): return [.edit(.insert([draft], at: .end), expected: nil, play: false)]
            case .remove(let id): return [.edit(.remove([id]), expected: nil, play: false)]
            case .play(let position): return [.play(.current, position: position)]
            case .seek(let position): return [.seek(.position(position))]
            case .pause: return [.pauseWithLeader]
            case .stop: return [.stop(drain: false)]
            case .adapt(let manner): return [.adapt(manner)]
            case .shift(let seconds): return [.shift(seconds)]
            }
        }
    }

    /// Apart by no more than this is in step, in seconds.
    static let tolerance = 0.002
    /// Further apart than this, the ring has too little to shift by.
    static let reach = 0.25
    /// A shift or a start takes so long to be heard and measured, in seconds.
    static let settling = 0.3
    private static let restlessly = 0.06
    private static let calmly = 1.0
    private static let readings = 3

    /// The leader's items that the follower's queue stands for.
    private struct Mirror {
        var leader: ItemID
        var follower: ItemID?
    }

    private var current: Mirror?
    private var next: Mirror?
    /// In the follower's queue, and heard.
    private var past: [ItemID] = []
    /// Seconds from asking the follower to play until it is heard: the shorter one of the last two measurements.
    private var startDelay = 0.1
    private var lastStartDelay = 0.1
    /// The first measurement after a start corrects `startDelay`.
    private var startIsUnmeasured = false
    /// Of the leader, as last seen.
    private var jumps: UInt64?
    /// The leader has jumped, and the follower is not known to be there yet.
    private(set) var isBehindJump = false
    /// Where the follower waits in silence, as the leader does.
    private var silentPosition: Double?
    /// The follower's.
    private var manner = LeadersManner()
    private var gathered: [Double] = []
    private var settledAt = MonotonicTime(nanoseconds: 0)
    /// Seconds by which the leader was ahead at the last measurement; nil while that is unknown.
    private(set) var offset: Double?
    /// When to look again though nothing has happened; nil: only then.
    private(set) var nextLook: MonotonicTime?

    /// The follower's item that stands for the leader's is known once it is in its queue.
    mutating func loaded(_ id: ItemID?) { current?.follower = id }
    mutating func appended(_ id: ItemID?) { next?.follower = id }

    /// What was tried failed, or somebody else has changed the follower's queue: begins anew.
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
        // What is left before a stop is heard by both; its end is reported.
        if leader.status == .stopping, leader.isPlayed, follower.wantsSound { return .wait }
        guard let item = leader.item, !leader.status.isAtRest else { return rest(leader, follower) }
        if manner != leader.manner {
            manner = leader.manner
            return .adapt(manner)
        }
        if current == nil, let own = follower.item, isAlreadyInStep(item, own, leader, follower) {
            current = Mirror(leader: item.id, follower: own.id)
            return .adopt(own.id, as: item.id)
        }
        if jumps != leader.jumps {
            isBehindJump = jumps != nil && current != nil && !leader.isLive && follower.isSeekable
            jumps = leader.jumps
            gathered = []
            // What is measured next is no delay of a start.
            startIsUnmeasured = false
            if isBehindJump { settledAt = now }
        }
        crossBorder(leader, follower)
        guard current?.leader == item.id, follower.item?.id == current?.follower else {
            // One of them is over already, and the other one about to be.
            if current?.leader == item.id && leader.isNearBorder || next?.leader == item.id && follower.isNearBorder,
                follower.wantsSound
            {
                return again(now, in: Self.restlessly)
            }
            return load(item, leader, now)
        }
        guard leader.wantsSound, leader.isPlayed || leader.status != .playing else { return silence(leader, follower) }
        switch leader.status {
        case .playing: break
        case .buffering, .interrupted: return silence(leader, follower)
        default: return again(now, in: Self.restlessly)
        }
        guard follower.wantsSound else {
            // The leader's effects die away behind its last item.
            if !leader.isLive, let end = leader.end, leader.position >= end - Self.reach * leader.tempo.rate {
                return .wait
            }
            return leader.isLive ? .play(position: nil) : start(leader, now)
        }
        if let step = prepareNext(leader) { return step }
        if leader.isLive { return .wait }
        guard let lead = leader.heard, let mine = follower.heard, lead.rate == mine.rate, now >= settledAt else {
            return again(now, in: follower.status == .interrupted ? Self.calmly : Self.restlessly)
        }
        return keepStep(lead.ahead(of: mine), leader, follower, now)
    }

    /// A command of a step as it is meant now: the leader has played on since the look. The thread may have waited, and a queue
    /// is saved first.
    func onTime(_ command: PlayerCommand, since look: MonotonicTime, now: MonotonicTime) -> PlayerCommand {
        guard case .play(let target, let position?) = command else { return command }
        return .play(target, position: position + now.seconds(since: look) * manner.tempo.rate)
    }

    // MARK: Parts of a look

    /// The same media, at the same place or silent in both: as when the two have followed a third one, or each other.
    private func isAlreadyInStep(
        _ item: QueueItem, _ own: QueueItem, _ leader: StepReading, _ follower: StepReading
    ) -> Bool {
        guard item.draft.isSameMedia(as: own.draft) else { return false }
        if leader.isLive { return leader.status == .playing && follower.status == .playing }
        if let lead = leader.heard, let mine = follower.heard { return abs(lead.ahead(of: mine)) <= Self.reach }
        return leader.status == .paused && follower.status == .paused
    }

    private mutating func rest(_ leader: StepReading, _ follower: StepReading) -> Step {
        // Its own end is a few milliseconds away, and it has nothing to go on with.
        if leader.status == .completed, follower.wantsSound, follower.isNearBorder, next == nil { return .wait }
        let isRunning = follower.wantsSound || follower.status == .paused
        forget()
        return isRunning ? .stop : .wait
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

    /// Both have gone over to what was the next item.
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
        return .load(item.mirror, position: leader.position + startDelay * leader.tempo.rate)
    }

    private mutating func start(_ leader: StepReading, _ now: MonotonicTime) -> Step {
        isBehindJump = false
        silentPosition = nil
        startsNow(now)
        return .play(position: leader.position + startDelay * leader.tempo.rate)
    }

    private mutating func startsNow(_ now: MonotonicTime) {
        startIsUnmeasured = true
        settle(now)
    }

    private mutating func settle(_ now: MonotonicTime) {
        gathered = []
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

    /// One reading may be off by a hiccup of either clock: the middle one of three counts. After a jump a large distance is none.
    private mutating func keepStep(
        _ apart: Double, _ leader: StepReading, _ follower: StepReading, _ now: MonotonicTime
    ) -> Step {
        if abs(apart) <= Self.reach { isBehindJump = false }
        gathered.append(apart)
        // It may be about to make the same jump: a loop's.
        guard isBehindJump && !follower.isNearBorder || gathered.count >= Self.readings else {
            return again(now, in: Self.restlessly)
        }
        let middle = gathered.sorted()[gathered.count / 2]
        gathered = []
        offset = middle
        if abs(middle) > Self.reach {
            // A loop, or the border between two items, looks like a distance for a moment.
            if leader.isNearBorder, follower.isNearBorder { return again(now, in: Self.restlessly) }
            // It would be asked for once more, from its beginning, to be as far off again.
            guard follower.isSeekable else { return again(now, in: Self.calmly) }
            learn(middle)
            return start(leader, now)
        }
        learn(middle)
        guard abs(middle) > Self.tolerance else { return again(now, in: Self.calmly) }
        settle(now)
        return .shift(middle)
    }

    private mutating func learn(_ apart: Double) {
        guard startIsUnmeasured else { return }
        startIsUnmeasured = false
        let measured = min(max(0, startDelay + apart), 2)
        // A single start that took long was a hiccup: the next one would be ahead by as much.
        startDelay = min(measured, lastStartDelay)
        lastStartDelay = measured
    }
}

extension QueueItem {
    /// The item as it stands in a follower's queue.
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
