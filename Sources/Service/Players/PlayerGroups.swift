// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// The players by id, and which of them follow another, as their settings say. Any thread; never blocks.
final class PlayerGroups: Sendable {
    typealias Reply = @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void

    private struct Link {
        var leader: String
        var follower: Follower
    }

    /// Calls its argument at its end.
    private typealias Change = @Sendable (@escaping @Sendable () -> Void) -> Void
    private typealias Done = GroupSteps.Done

    /// Leaders by the follower's id, in the saved state of `main`; a restart restores them.
    private static let record = SavedNote<[String: String]>(name: "leaders")

    private struct State {
        var players: [String: HostedPlayer] = [:]
        /// By the id of the follower.
        var links: [String: Link] = [:]
        /// Changes of groups are performed one after another, so that none sees a half-finished one. The first is in
        /// progress.
        var changes: [Change] = []
        /// The leaders on disk; nil while unknown.
        var recorded: [String: String]? = [:]
    }

    private let state = Mutex(State())
    private let warn: @Sendable (_ sentence: String, _ player: String) -> Void

    init(warn: @escaping @Sendable (_ sentence: String, _ player: String) -> Void) { self.warn = warn }

    // MARK: Members

    var players: [String: HostedPlayer] { state.withLock { $0.players } }

    /// Called before the players are made, with the saved state of `main`.
    func load(_ notes: [String: String]) {
        let leaders = Self.record.value(notes[Self.record.name]) ?? [:]
        // A follower cannot be a leader.
        state.withLock { $0.recorded = leaders.filter { leaders[$0.value] == nil } }
    }

    func recordedLeader(of id: String) -> String? { state.withLock { $0.recorded?[id] } }

    func join(_ player: HostedPlayer) {
        state.withLock { state in
            state.players[player.id] = player
            for other in state.players.keys { link(other, &state) }
        }
    }

    /// Makes one of a player's followers the leader of its group, before the player is removed.
    func handOverGroup(of id: String, done: @escaping @Sendable (_ heir: String?) -> Void) {
        enqueue { [self] finish in
            let (groups, players) = state.withLock { (plan($0), $0.players) }
            let steps = groups.steps(removing: id)
            var leaders = groups.leaders(after: steps)
            leaders[id] = nil
            take(steps, leaders, players) { _ in
                if case .handOver(_, let heir, _)? = steps.first { done(heir) } else { done(nil) }
                finish()
            }
        }
    }

    /// Called before the player ends.
    func leave(_ id: String) {
        state.withLock { state in
            state.players[id] = nil
            // At once, as followers must not follow the leader into its end.
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.stop()
                state.links[follower] = nil
            }
        }
        settle()
    }

    /// Followers of a removed player become independent, at their present position. The record has the remaining
    /// groups.
    func settle() {
        enqueue { [self] finish in
            let (groups, players) = state.withLock { (plan($0), $0.players) }
            let lost = groups.leaders.filter { players[$0.value] == nil }.keys.sorted()
            let steps = lost.map { GroupPlan.Step.follow($0, nil) }
            GroupSteps.perform(steps[...], players) { [self] _ in
                save(groups.leaders(after: steps)) { _ in finish() }
            }
        }
    }

    func leader(of settings: PlayerSettings) -> Player? {
        guard let leader = settings.leader else { return nil }
        return state.withLock { $0.players[leader] }?.player
    }

    func followers(of id: String) -> [HostedPlayer] {
        state.withLock { state in
            state.links.isEmpty
                ? [] : state.links.filter { $0.value.leader == id }.keys.compactMap { state.players[$0] }
        }
    }

    /// The player's delay behind its leader in seconds, as last measured; nil unless both are audible.
    func offset(of id: String) -> Double? { state.withLock { $0.links[id]?.follower.offset } }

    /// - Returns: whether the player's leader has changed.
    func receive(_ event: PlayerEvent, of id: String) -> Bool {
        let (isNew, hasLeft) = state.withLock { state -> (Bool, Bool) in
            var isNew = false
            if case .settings = event.kind { isNew = link(id, &state) }
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.somethingChanged()
            }
            return (isNew, isNew && plan(state).leaders[id] == nil)
        }
        // An alarm takes its player out of the group without a change of groups, so the record still has it.
        if hasLeft { settle() }
        return isNew
    }

    @discardableResult
    private func link(_ id: String, _ state: inout State) -> Bool {
        let wanted = state.players[id]?.player.snapshot.settings.leader
        guard wanted != state.links[id]?.leader else { return false }
        state.links.removeValue(forKey: id)?.follower.stop()
        guard let wanted, wanted != id, let leader = state.players[wanted], let player = state.players[id] else {
            return true
        }
        guard let follower = Follower(player.player, of: leader.player) else {
            warn("The server has no thread left to follow \(wanted).", id)
            return true
        }
        state.links[id] = Link(leader: wanted, follower: follower)
        return true
    }

    private func plan(_ state: State) -> GroupPlan {
        GroupPlan(leaders: state.players.compactMapValues { $0.player.snapshot.settings.leader })
    }

    // MARK: Changes of groups

    /// Calls when the player has caught up with its leader, or at the deadline; at once for a player without a leader.
    func whenSettled(_ id: String, until time: MonotonicTime, _ call: @escaping @Sendable () -> Void) {
        guard let follower = state.withLock({ $0.links[id]?.follower }) else { return call() }
        follower.whenSettled(within: max(0, time.seconds(since: .now)), call)
    }

    /// Seconds that a command waits for its outcome.
    static let patience = 0.8

    /// Performs a patch with `leader` or `groupLevelBy`.
    func change(_ player: HostedPlayer, _ patch: SettingsPatch, reply: @escaping Reply) {
        enqueue { [self] finish in
            perform(patch, of: player) { [self] failure in
                finish()
                if let failure {
                    settle()
                    return reply(.failure(failure))
                }
                if patch.leader == nil { return reply(.success(player.snapshot)) }
                // Until then it has an item of its previous queue.
                whenSettled(player.id, until: .now.advanced(bySeconds: Self.patience)) {
                    reply(.success(player.snapshot))
                }
            }
        }
    }

    private func enqueue(_ change: @escaping Change) {
        let isFirst = state.withLock { state in
            state.changes.append(change)
            return state.changes.count == 1
        }
        if isFirst { begin(change) }
    }

    /// `change` is the first one until it is done.
    private func begin(_ change: Change) {
        change { [self] in
            let next = state.withLock { state in
                state.changes.removeFirst()
                return state.changes.first
            }
            if let next { begin(next) }
        }
    }

    private func perform(_ patch: SettingsPatch, of player: HostedPlayer, done: @escaping Done) {
        let (groups, players) = state.withLock { (plan($0), $0.players) }
        let id = player.id
        var own = patch
        var steps: [GroupPlan.Step] = []
        if let wanted = own.leader {
            if let wanted, wanted == id || players[wanted] == nil {
                return done(PlaybackError(.outOfRange, "There is no other player \(wanted).", member: "leader"))
            }
            steps = groups.steps(id, follows: wanted)
            own.leader = nil
        }
        let leaders = groups.leaders(after: steps)
        // The player's own step comes last, with the rest of the patch.
        if case .follow(id, let leader)? = steps.last {
            own.leader = .some(leader)
            steps.removeLast()
        }
        take(steps, leaders, players, last: { [self, own] in finish(player, own, done: $0) }, done: done)
    }

    private func finish(_ player: HostedPlayer, _ patch: SettingsPatch, done: @escaping Done) {
        var own = patch
        var others: [(Player, PlayerCommand)] = []
        if let wanted = own.groupLevelBy {
            let members = members(with: player)
            let step = Self.step(wanted, members.map(\.snapshot.settings.level))
            own.groupLevelBy = nil
            own.levelBy = step
            var patch = SettingsPatch()
            patch.levelBy = step
            others = members.filter { $0 !== player.player }.map { ($0, .apply(patch)) }
        }
        GroupSteps.send(others[...]) { [own] failure in
            if failure != nil { return done(failure) }
            player.performAlone(.apply(own)) { result in
                if case .failure(let error) = result { return done(error) }
                done(nil)
            }
        }
    }

    /// The group of a player, or only the player.
    private func members(with player: HostedPlayer) -> [Player] {
        state.withLock { state in
            let leaders = plan(state).leaders
            let head = leaders[player.id] ?? player.id
            return state.players.filter { $0.key == head || leaders[$0.key] == head }.map(\.value.player)
        }
    }

    /// The part of `wanted` that every level can change by, so that their differences stay the same.
    static func step(_ wanted: Double, _ levels: [Double]) -> Double {
        wanted > 0 ? min(wanted, 1 - (levels.max() ?? 0)) : max(wanted, -(levels.min() ?? 0))
    }

    /// Performs the steps and then `last`, the rest of the patch; `leaders` are the resulting groups. They are recorded
    /// in between: until the queues are handed over a restart restores the old groups, afterwards the new ones.
    private func take(
        _ steps: [GroupPlan.Step], _ leaders: [String: String], _ players: [String: HostedPlayer],
        last: @escaping @Sendable (@escaping Done) -> Void = { $0(nil) }, done: @escaping Done
    ) {
        let handovers = steps.prefix(while: \.isHandover)
        GroupSteps.perform(handovers, players) { [self] failure in
            if failure != nil { return done(failure) }
            save(leaders) { failure in
                if failure != nil { return done(failure) }
                GroupSteps.perform(steps.dropFirst(handovers.count), players) { $0 == nil ? last(done) : done($0) }
            }
        }
    }

    /// `main` waits for its disk, with the deadline of its settings.
    private func save(_ leaders: [String: String], done: @escaping Done) {
        let main: Player? = state.withLock { state in
            guard state.recorded != leaders else { return nil }
            state.recorded = nil
            return state.players[HostedPlayer.main]?.player
        }
        guard let main else { return done(nil) }
        GroupSteps.send([(main, .note(Self.record.name, Self.record.text(leaders)))]) { [self] failure in
            if failure == nil { state.withLock { $0.recorded = leaders } }
            done(failure)
        }
    }
}
