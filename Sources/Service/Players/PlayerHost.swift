// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
internal import Synchronization

/// The players of a server, including main: each has its own queue, settings, output and state. All are built, observed
/// and ended in the same way.
///
/// Calls of `add` and `remove` must not overlap; everything else from any thread.
public final class PlayerHost: PlayerRoster {
    /// Including main.
    public static let maximum = 16

    /// The parts of a player, without its state.
    public struct Parts: Sendable {
        public var environment: @Sendable (_ id: String, any PlayerStore) -> Player.Environment
        public var announcer: @Sendable (_ id: String, Player) -> Announcer?
        public var keeper: any PlayerKeeper
        public var session: LiveSession
        public var sessionPlayers: SessionPlayers
        public var bus: EventBus
        /// Whether the machine has enough threads left for another player.
        public var hasThreads: @Sendable () -> Bool = { true }
        /// Ends the recording of a player's stream; returns when its events are published.
        public var endRecording: @Sendable (_ player: String) -> Void = { _ in }
        /// Called before a leader is removed, when one of its followers has become the leader.
        public var handOver: @Sendable (_ player: String, _ heir: String) -> Void = { _, _ in }
        public var warn: @Sendable (_ sentence: String, _ player: String) -> Void = { _, _ in }

        public init(
            environment: @escaping @Sendable (_ id: String, any PlayerStore) -> Player.Environment,
            announcer: @escaping @Sendable (_ id: String, Player) -> Announcer?, keeper: any PlayerKeeper,
            session: LiveSession, sessionPlayers: SessionPlayers, bus: EventBus
        ) {
            self.environment = environment
            self.announcer = announcer
            self.keeper = keeper
            self.session = session
            self.sessionPlayers = sessionPlayers
            self.bus = bus
        }
    }

    private struct State {
        /// Players whose files the disk keeps in use: their ids are not reused in this run.
        var stuck: Set<String> = []
        var isEnding = false
    }

    public let main: HostedPlayer
    private let parts: Parts
    /// Holds the list of the players.
    private let groups: PlayerGroups
    private let state = Mutex(State())

    /// Starts main.
    public init(_ parts: Parts) throws(SaveFailure) {
        self.parts = parts
        groups = PlayerGroups(warn: parts.warn)
        main = try Self.make(HostedPlayer.main, parts, groups)
        // So that clients can choose among the outputs from the first request on.
        Self.wait(Self.outputPatience) { start(main, outputKnown: $0) }
        parts.bus.observe { [weak self] event in
            if case .session(let status) = event { self?.apply(status) }
        }
    }

    /// Starts the saved players. A player whose state is unreadable is left out, and the others play.
    public func restore() {
        let ids = parts.keeper.players()
        for id in ids.prefix(Self.maximum - 1) {
            do throws(SaveFailure) {
                start(try Self.make(id, parts, groups, outputs: main.snapshot.output.devices.devices))
            } catch {
                parts.warn("The player cannot be started: \(error.reason)", id)
            }
        }
        groups.settle()
        for id in ids.dropFirst(Self.maximum - 1) {
            parts.warn("There are too many players; this one is skipped.", id)
        }
    }

    public func add(_ draft: PlayerDraft) throws(Problem) -> String {
        let id = draft.id ?? freshID()
        let (isStuck, isEnding) = state.withLock { ($0.stuck.contains(id), $0.isEnding) }
        if hasPlayer(id) { throw Problem(.conflict, "player-exists", "There is a player \(id) already.") }
        if isEnding { throw .busy("The server is going down.") }
        if isStuck { throw .busy("The files of the last player \(id) are still in use; choose another id.") }
        guard groups.players.count < Self.maximum else {
            throw Problem(
                .conflict, "too-many-players", "There are \(Self.maximum) players, the maximum: remove one.")
        }
        // A player cannot start without these threads, and a missing thread would end the process.
        guard parts.hasThreads() else { throw .busy("This machine lets the server have no more threads.") }
        if let output = draft.output {
            let devices = main.snapshot.output.devices.devices
            guard devices.contains(where: { $0.id == output }) else { throw .unknownOutput(output) }
        }
        do throws(SaveFailure) {
            try parts.keeper.create(id, name: draft.name ?? id, output: draft.output)
            let player: HostedPlayer
            do throws(SaveFailure) {
                // So that the client can choose among the outputs when it gets the answer, even if the sound server
                // hangs.
                player = try Self.make(id, parts, groups, outputs: main.snapshot.output.devices.devices)
            } catch {
                // Otherwise the next start would have the player, and its id would be taken.
                do throws(SaveFailure) { try parts.keeper.remove(id)() } catch {
                    parts.warn("The refused player cannot be removed: \(error.reason)", id)
                }
                throw error
            }
            Self.wait(Self.outputPatience) { start(player, outputKnown: $0) }
            parts.bus.publish(.players(.added, player))
        } catch {
            throw .notSaved("The player cannot be saved", error)
        }
        return id
    }

    public func remove(_ id: String) throws(Problem) {
        guard id != HostedPlayer.main else { throw .mainStays }
        let player = try groups.players[id].orThrow(.unknownPlayer(id))
        let clear: @Sendable () -> Void
        do throws(SaveFailure) {
            clear = try parts.keeper.remove(id)
        } catch {
            throw .notSaved("The player cannot be removed", error)
        }
        Self.wait(1) { done in
            groups.handOverGroup(of: id) { [parts] heir in
                if let heir { parts.handOver(id, heir) }
                done()
            }
        }
        // Before the player is dismissed, so that its own channel reports the end.
        parts.endRecording(id)
        // From here on the player is not listed; only its end remains.
        groups.leave(id)
        parts.bus.publish(.players(.dismissed, player))
        parts.sessionPlayers.leave(id)
        Self.wait(1) { done in player.player.perform(.stop(drain: false)) { _ in done() } }
        // The music is silent already, and need not wait for the announcements.
        player.announcer?.shutdown(.playerRemoved)
        parts.bus.publish(.players(.removed, player))
        player.player.shutdown()
        // A recording that a client started in between.
        parts.endRecording(id)
        player.player.observe { _ in }
        parts.session.forget(id)
        if !player.state.close() { state.withLock { _ = $0.stuck.insert(id) } }
        clear()
    }

    /// Starts work, and waits this number of seconds for its first callback.
    private static func wait(_ seconds: Double, for start: (@escaping @Sendable () -> Void) -> Void) {
        let done = Mailbox<Void>()
        // Later ones add nothing: the mailbox has a message.
        start { done.post((), unless: { _ in true }) }
        _ = done.take(until: .now.advanced(bySeconds: seconds))
    }

    public func hasPlayer(_ id: String) -> Bool { groups.players[id] != nil }

    public func offset(of id: String) -> Double? { groups.offset(of: id) }

    public func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void) {
        parts.sessionPlayers.command(.interruption(notice), done: done)
    }

    /// No player can be added from now on.
    /// - Returns: the players to end.
    public func beginEnd() -> [HostedPlayer] {
        state.withLock { $0.isEnding = true }
        return Array(groups.players.values)
    }

    // MARK: Making

    /// `outputs`: the devices as another player reports them.
    private static func make(
        _ id: String, _ parts: Parts, _ groups: PlayerGroups, outputs: [OutputDevice] = []
    ) throws(SaveFailure) -> HostedPlayer {
        let state = try parts.keeper.open(id)
        if id == HostedPlayer.main { groups.load(state.notes) }
        var environment = parts.environment(id, state.store)
        environment.outputs = outputs
        environment.leader = groups.recordedLeader(of: id)
        let player = Player(environment)
        parts.sessionPlayers.join(id) { command, done in player.perform(command) { _ in done() } }
        return HostedPlayer(id, player, parts.announcer(id, player), state, groups)
    }

    /// Seconds that the answer for a new player, and the start of the server, wait for the output.
    private static let outputPatience = 0.25

    /// `outputKnown` is called at least once if the output answers: when its device is known, or when the output
    /// reports that there is none.
    private func start(_ player: HostedPlayer, outputKnown: @escaping @Sendable () -> Void = {}) {
        let (bus, groups, id) = (parts.bus, groups, player.id)
        bus.publish(.players(.admitted, player))
        player.announcer?.observe { bus.publish(.announcement($0, of: id)) }
        player.player.observe { event in
            if let shown = player.shown(event) { bus.publish(.player(shown, of: id)) }
            if groups.receive(event, of: id) {
                for event in player.queueReplaced(event) { bus.publish(.player(event, of: id)) }
            }
            for follower in groups.followers(of: id) {
                if let echo = follower.echo(event) { bus.publish(.player(echo, of: follower.id)) }
            }
            if case .output(let output) = event.kind, output.isKnown { outputKnown() }
            if case .effects = event.kind { player.announcer?.effectsChanged() }
        }
        let snapshot = player.player.snapshot
        parts.session.receive(snapshot, of: id)
        if snapshot.output.isKnown { outputKnown() }
        groups.join(player)
        state.withLock { _ in
            player.announcer?.apply(SessionRules(besideMusic: parts.session.status))
        }
    }

    private func apply(_ status: SessionStatus) {
        // Under the lock: a player in the making gets the value either here or from `start`, and never an older one
        // last.
        state.withLock { _ in
            for player in groups.players.values { player.announcer?.apply(SessionRules(besideMusic: status)) }
        }
    }

    /// Short, and never the id of a removed player, which a client may still have.
    private func freshID() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        while true {
            let id = String((0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] })
            if !hasPlayer(id), !state.withLock({ $0.stuck.contains(id) }) { return id }
        }
    }
}

extension HostedPlayer {
    /// Fades, saves and ends. Blocks for up to 1.5 s.
    public func shutdown() {
        player.shutdown()
        _ = state.close()
    }
}

extension OutputStatus {
    /// The output has reported its device, or that there is none.
    fileprivate var isKnown: Bool { devices.current != nil || availability != .available }
}
