// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
internal import Synchronization

/// A player as all clients see it: a follower shows its leader's transport, queue and order. Any thread; never waits.
public final class HostedPlayer: Sendable {
    public static let main = "main"

    public let id: String
    public let player: Player
    public let announcer: Announcer?
    let state: PlayerState
    private let groups: PlayerGroups
    /// The settings last reported to the clients of a follower.
    private let reported = Mutex<PlayerSettings?>(nil)

    init(_ id: String, _ player: Player, _ announcer: Announcer?, _ state: PlayerState, _ groups: PlayerGroups) {
        self.id = id
        self.player = player
        self.announcer = announcer
        self.state = state
        self.groups = groups
    }

    private var leader: Player? { groups.leader(of: player.snapshot.settings) }

    /// The newest published state.
    public var snapshot: PlayerSnapshot {
        let own = player.snapshot
        guard let leader = groups.leader(of: own.settings) else { return own }
        return own.following(leader.snapshot)
    }

    public func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        (leader ?? player).queueWindow(offset: offset, limit: limit)
    }

    public func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        (leader ?? player).queueItem(id)
    }

    public func listen(_ tap: SoundTap?) { player.listen(tap) }

    public var outputClock: OutputClock { player.outputClock }

    public func ping(_ answer: @escaping @Sendable () -> Void) -> Bool { player.ping(answer) }

    public func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        if case .apply(let patch) = command, patch.leader != nil || patch.groupLevelBy != nil {
            return groups.change(self, patch, reply: reply)
        }
        performAlone(command, reply: reply)
    }

    /// `command` does not change a group.
    func performAlone(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        guard let leader else { return player.perform(command, reply: reply) }
        let (leaders, own) = command.split
        let deadline = MonotonicTime.now.advanced(bySeconds: PlayerGroups.patience)
        let performLeaders: @Sendable () -> Void = { [self] in
            guard let leaders else { return reply(.success(snapshot)) }
            leader.perform(leaders) { [self] result in
                guard case .success(let after) = result else { return reply(result) }
                groups.whenSettled(id, until: deadline) { [self] in
                    var snapshot = snapshot
                    snapshot.insertedItems = after.insertedItems
                    reply(.success(snapshot))
                }
            }
        }
        guard let own else { return performLeaders() }
        player.perform(own) { result in
            if case .failure = result { return reply(result) }
            performLeaders()
        }
    }

    // MARK: Events

    /// A player's event as clients see it. nil for events of the queue in which a follower mirrors its leader's.
    func shown(_ event: PlayerEvent) -> PlayerEvent? {
        guard let leader = leader?.snapshot else { return event }
        var event = event
        switch event.kind {
        case .queue, .queueLow, .queueEnded: return nil
        case .settings(let settings):
            let shown = settings.following(leader.settings)
            reported.withLock { $0 = shown }
            event.kind = .settings(shown)
        case .item(let item): event.kind = .item(leader.item(of: item))
        case .status(let status, let previous, let reason, let playWhenReady, let item, let position, let error):
            event.kind = .status(
                status, previous: previous, reason: reason, playWhenReady: playWhenReady, itemID: shown(item),
                position: position, error: error.map(shown))
        case .completed(let item, let reason): event.kind = .completed(shown(item) ?? item, reason: reason)
        case .jumped(let clock, let item): event.kind = .jumped(clock, itemID: shown(item))
        case .error(let error): event.kind = .error(shown(error))
        case .loaded, .faded, .slept, .startEnded, .output, .route, .interruption, .effects: break
        }
        return event
    }

    /// The event of the leader that the follower's clients see too, as it concerns their queue.
    func echo(_ event: PlayerEvent) -> PlayerEvent? {
        var event = event
        switch event.kind {
        case .queue, .queueLow, .queueEnded: break
        case .settings:
            let shown = snapshot.settings
            let isNew = reported.withLock { reported in
                defer { reported = shown }
                return reported != shown
            }
            guard isNew else { return nil }
            event.kind = .settings(shown)
        default: return nil
        }
        event.version = player.snapshot.version
        return event
    }

    /// For clients, which now see another queue: the player has started or stopped following.
    func queueReplaced(_ event: PlayerEvent) -> [PlayerEvent] {
        let snapshot = snapshot
        let queue = PlayerEvent.Kind.queue(
            revision: snapshot.queueRevision, length: snapshot.queueLength,
            change: .replaced(old: QueueContents(), new: (leader ?? player).queueContents), canUndo: snapshot.canUndo,
            canRedo: snapshot.canRedo)
        return [queue, .item(snapshot.item)].map {
            PlayerEvent(version: event.version, wallMilliseconds: event.wallMilliseconds, kind: $0)
        }
    }

    private func shown(_ id: ItemID?) -> ItemID? { id.flatMap { player.queueItem($0)?.item.leaders } ?? id }

    private func shown(_ error: PlaybackError) -> PlaybackError {
        var error = error
        error.itemID = shown(error.itemID)
        return error
    }
}
