// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Kernel

/// Keeps one player in step with another: the same sound at the same time, each on its own device at its own volume.
///
/// It sends commands to the follower like a client; nobody else should control the follower's playback meanwhile. Its
/// thread wakes when either player reports a change, and once a second while both play.
public final class Follower: Sendable {
    private let loop: FollowerLoop

    /// nil if no thread can be created.
    public init?(_ follower: Player, of leader: Player) {
        let loop = FollowerLoop(leader: leader, follower: follower)
        guard let thread = NamedThread(ifPossible: "in-step", { loop.run() }) else { return nil }
        self.loop = loop
        thread.detach()
    }

    /// The observers of both players call this, from any thread.
    public func somethingChanged() { loop.mailbox.post(.changed) }

    /// The seconds by which the leader was ahead at the last measurement; nil while they do not play together.
    public var offset: Double? { loop.offset.withLock { $0 } }

    /// Calls once, from any thread, when the follower has reached the leader's present state, or after this many seconds.
    public func whenSettled(within seconds: Double, _ call: @escaping @Sendable () -> Void) {
        loop.add(FollowerLoop.Waiting(deadline: .now.advanced(bySeconds: seconds), call: call))
    }

    /// Ends the following; the player keeps its state. Returns at once; the player receives no more commands.
    public func stop() {
        loop.isStopped.store(true, ordering: .releasing)
        loop.mailbox.post(.stop)
    }
}

/// The follower's thread. `@unchecked Sendable` because private state belongs to it, as `owner` checks.
final class FollowerLoop: @unchecked Sendable {
    enum Message: Sendable {
        case changed
        case ended(Result<PlayerSnapshot, PlaybackError>)
        case stop
    }

    struct Waiting: Sendable {
        var deadline: MonotonicTime
        var call: @Sendable () -> Void
    }

    let mailbox = Mailbox<Message>()
    let offset = Mutex<Double?>(nil)
    let isStopped = Atomic(false)
    /// nil after the thread has ended.
    private let waiting = Mutex<[Waiting]?>([])

    private var owner = OwningThread()
    private let leader: Player
    private let follower: Player
    private var core = FollowerCore()
    /// The commands of the present step; the next look waits for their end.
    private var commands: [PlayerCommand] = []
    /// The time of the present step's readings.
    private var lookedAt = MonotonicTime.now
    private var isBusy = false
    private var isOver = false
    private var adopt: (inout FollowerCore, ItemID?) -> Void = { _, _ in }

    /// Seconds to wait after a failed command: its cause (no device, no such file) persists for a while.
    private static let afterFailure = 1.0
    private var pausedUntil: MonotonicTime?

    init(leader: Player, follower: Player) {
        self.leader = leader
        self.follower = follower
    }

    func run() {
        defer { answer { _ in true } }
        look()
        while true {
            for message in mailbox.take(until: wakeUp) {
                switch message {
                case .changed: continue
                case .ended(let result): ended(result)
                case .stop:
                    isOver = true
                    return
                }
            }
            if pausedUntil.map({ $0 <= .now }) ?? true {
                pausedUntil = nil
                if !isBusy { look() }
            }
            let (isSettled, now) = (!isBusy && pausedUntil == nil && !core.isBehindJump, MonotonicTime.now)
            answer { isSettled || $0.deadline <= now }
        }
    }

    private var wakeUp: MonotonicTime? {
        let look = isBusy ? nil : pausedUntil ?? core.nextLook
        return ([look] + (waiting.withLock { $0 } ?? []).map(\.deadline)).compactMap(\.self).min()
    }

    /// Any thread may call this.
    func add(_ new: Waiting) {
        let isTaken = waiting.withLock { waiting in
            waiting?.append(new)
            return waiting != nil
        }
        if isTaken { mailbox.post(.changed) } else { new.call() }
    }

    private func answer(_ isDue: (Waiting) -> Bool) {
        let due = waiting.withLock { waiting in
            let due = waiting?.filter(isDue) ?? []
            waiting = isOver ? nil : waiting?.filter { !isDue($0) }
            return due
        }
        for entry in due { entry.call() }
    }

    private func look() {
        owner.check()
        lookedAt = .now
        let step = core.look(StepReading(leader, at: lookedAt), StepReading(follower, at: lookedAt), now: lookedAt)
        offset.withLock { $0 = core.offset }
        if step == .wait { return }
        switch step {
        case .load, .join: adopt = { $0.loaded($1) }
        case .append: adopt = { $0.appended($1) }
        default: adopt = { _, _ in }
        }
        commands = step.commands { follower.queueWindow(offset: 0, limit: .max).items.map(\.id) }
        performNext()
    }

    private func performNext() {
        isBusy = !commands.isEmpty && !isStopped.load(ordering: .acquiring)
        guard isBusy else { return }
        let command = core.onTime(commands.removeFirst(), since: lookedAt, now: .now)
        follower.perform(command, origin: .follower) { [mailbox] in mailbox.post(.ended($0)) }
    }

    private func ended(_ result: Result<PlayerSnapshot, PlaybackError>) {
        switch result {
        case .success(let snapshot):
            if let id = snapshot.insertedItems?.first { adopt(&core, ItemID(number: id)) }
        case .failure:
            commands = []
            core.forget()
            pausedUntil = MonotonicTime.now.advanced(bySeconds: Self.afterFailure)
        }
        performNext()
    }
}
