// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Which players follow which, by their settings. Any thread; never blocks.
final class Following: Sendable {
    typealias Reply = @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void

    private struct Link {
        var leader: String
        var follower: Follower
    }

    /// Calls its argument when it is done.
    private typealias Change = @Sendable (@escaping @Sendable () -> Void) -> Void
    private typealias Done = @Sendable (PlaybackError?) -> Void

    /// Who follows whom, by the follower's id, in the saved state of `main`: what a restart restores.
    private static let record = SavedNote<[String: String]>(name: "leaders")

    private struct State {
        var players: [String: HostedPlayer] = [:]
        /// By the id of the follower.
        var links: [String: Link] = [:]
        /// Changes of groups come one after another, so that none sees half of another: the first is under way.
        var changes: [Change] = []
        /// As on the disk; nil while that is unknown.
        var recorded: [String: String]? = [:]
    }

    private let state = Mutex(State())
    private let warn: @Sendable (_ sentence: String, _ player: String) -> Void

    init(warn: @escaping @Sendable (_ sentence: String, _ player: String) -> Void) { self.warn = warn }

    // MARK: Members

    /// Before the players are made, from the saved state of `main`.
    func load(_ notes: [String: String]) {
        let leaders = Self.record.value(notes[Self.record.name]) ?? [:]
        // Nobody follows a follower.
        state.withLock { $0.recorded = leaders.filter { leaders[$0.value] == nil } }
    }

    func recordedLeader(of id: String) -> String? { state.withLock { $0.recorded?[id] } }

    func join(_ player: HostedPlayer) {
        state.withLock { state in
            state.players[player.id] = player
            for other in state.players.keys { link(other, &state) }
        }
    }

    /// Gives a player's group to one of its followers, before the player leaves.
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

    /// Before the player ends.
    func leave(_ id: String) {
        state.withLock { state in
            state.players[id] = nil
            // At once: the leader's end is nothing to follow.
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.stop()
                state.links[follower] = nil
            }
        }
        settle()
    }

    /// Whoever follows a player that is gone goes its own way, from where it is; the record has the groups as they are.
    func settle() {
        enqueue { [self] finish in
            let (groups, players) = state.withLock { (plan($0), $0.players) }
            let lost = groups.leaders.filter { players[$0.value] == nil }.keys.sorted()
            let steps = lost.map { GroupPlan.Step.follow($0, nil) }
            perform(steps[...], players) { [self] _ in
                save(groups.leaders(after: steps)) { _ in finish() }
            }
        }
    }

    /// The player that one with these settings follows.
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

    /// Seconds by which the player was last measured behind the one that it follows; nil unless both sound.
    func offset(of id: String) -> Double? { state.withLock { $0.links[id]?.follower.offset } }

    /// - Returns: whether the player follows another one than before.
    func receive(_ event: PlayerEvent, of id: String) -> Bool {
        state.withLock { state in
            var isNew = false
            if case .settings = event.kind { isNew = link(id, &state) }
            for (follower, link) in state.links where follower == id || link.leader == id {
                link.follower.somethingChanged()
            }
            return isNew
        }
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

    /// Calls once the player has what its leader has now, or when this time is over; at once where it follows none.
    func whenSettled(_ id: String, until time: MonotonicTime, _ call: @escaping @Sendable () -> Void) {
        guard let follower = state.withLock({ $0.links[id]?.follower }) else { return call() }
        follower.whenSettled(within: max(0, time.seconds(since: .now)), call)
    }

    /// For which a command waits for its outcome, in seconds.
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
                // Until then it has an item of its own former queue.
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
        if isFirst { beginChange() }
    }

    private func beginChange() {
        guard let change = state.withLock({ $0.changes.first }) else { return }
        change { [self] in
            state.withLock { _ = $0.changes.removeFirst() }
            beginChange()
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
        // Its own step comes last, and with the rest of the patch.
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
        Self.send(others[...]) { [own] failure in
            if failure != nil { return done(failure) }
            player.performAlone(.apply(own)) { result in
                if case .failure(let error) = result { return done(error) }
                done(nil)
            }
        }
    }

    /// The group of a player, or the player alone.
    private func members(with player: HostedPlayer) -> [Player] {
        state.withLock { state in
            let leaders = plan(state).leaders
            let head = leaders[player.id] ?? player.id
            return state.players.filter { $0.key == head || leaders[$0.key] == head }.map(\.value.player)
        }
    }

    /// As much of `wanted` as every level can move: differences stay.
    static func step(_ wanted: Double, _ levels: [Double]) -> Double {
        wanted > 0 ? min(wanted, 1 - (levels.max() ?? 0)) : max(wanted, -(levels.min() ?? 0))
    }

    /// Performs steps and `last`, the rest, after which the groups are `leaders`. That is recorded in between: a restart finds the
    /// groups as they were until the queues are handed over, and as they are to be from then on.
    private func take(
        _ steps: [GroupPlan.Step], _ leaders: [String: String], _ players: [String: HostedPlayer],
        last: @escaping @Sendable (@escaping Done) -> Void = { $0(nil) }, done: @escaping Done
    ) {
        let handovers = steps.prefix(while: \.isHandover)
        perform(handovers, players) { [self] failure in
            if failure != nil { return done(failure) }
            save(leaders) { [self] failure in
                if failure != nil { return done(failure) }
                perform(steps.dropFirst(handovers.count), players) { $0 == nil ? last(done) : done($0) }
            }
        }
    }

    /// `main` waits for its disk, as for that of its settings, and not for ever.
    private func save(_ leaders: [String: String], done: @escaping Done) {
        let main: Player? = state.withLock { state in
            guard state.recorded != leaders else { return nil }
            state.recorded = nil
            return state.players[HostedPlayer.main]?.player
        }
        guard let main else { return done(nil) }
        Self.send([(main, .note(Self.record.name, Self.record.text(leaders)))]) { [self] failure in
            if failure == nil { state.withLock { $0.recorded = leaders } }
            done(failure)
        }
    }

    private func perform(
        _ steps: ArraySlice<GroupPlan.Step>, _ players: [String: HostedPlayer], done: @escaping Done
    ) {
        guard let step = steps.first else { return done(nil) }
        let next: Done = { [self] failure in
            if failure != nil { return done(failure) }
            perform(steps.dropFirst(), players, done: done)
        }
        switch step {
        case .follow(let id, let leader):
            guard let player = players[id]?.player else { return next(nil) }
            var patch = SettingsPatch()
            patch.leader = .some(leader)
            Self.send([(player, .apply(patch))], done: next)
        case .handOver(let id, let to, let isNeeded):
            guard let head = players[id]?.player, let heir = players[to]?.player else { return next(nil) }
            let ended: Done = { next(isNeeded ? $0 : nil) }
            // Its follower has stopped commanding the heir when the first is answered; its last command is done when the second is.
            let order = Handover(from: head, to: heir).order
            Self.send([(heir, .apply(order)), (heir, .apply(SettingsPatch()))]) { failure in
                if failure != nil { return ended(failure) }
                let handover = Handover(from: head, to: heir)
                Self.send([(heir, handover.edit)]) { failure in
                    if failure != nil { return ended(failure) }
                    let transport = handover.transport(at: .now)
                    // A file that has gone stops the music, as it would have without a handover.
                    Self.send(transport.map { (heir, $0) }[...]) { _ in next(nil) }
                }
            }
        }
    }

    private static func send(
        _ commands: ArraySlice<(Player, PlayerCommand)>, done: @escaping Done
    ) {
        guard let (player, command) = commands.first else { return done(nil) }
        player.perform(command) { result in
            if case .failure(let error) = result { return done(error) }
            send(commands.dropFirst(), done: done)
        }
    }
}

extension GroupPlan.Step {
    fileprivate var isHandover: Bool { if case .handOver = self { true } else { false } }
}
