// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Playback
internal import Synchronization
internal import Kernel

/// The running session: feeds the state machine and performs its actions, on a thread of its own.
public final class LiveSession: Sendable {
    /// The parts that the session uses.
    public struct Environment: Sendable {
        public var store: any PlayerStore
        /// nil for outputs without other programs (a file, a silent clock).
        public var otherStreams: (any OtherStreamsWatch)?
        public var players: SessionPlayers
        /// An exclusive session silences other applications.
        public var interruptsOthers: Bool
        /// The values saved under this session's names.
        public var notes: [String: String]
        /// Seconds that the disk has to save a change before it is refused.
        public var patience = 3.0

        public init(
            store: any PlayerStore, otherStreams: (any OtherStreamsWatch)?, interruptsOthers: Bool,
            notes: [String: String], players: SessionPlayers
        ) {
            self.store = store
            self.otherStreams = otherStreams
            self.interruptsOthers = interruptsOthers
            self.notes = notes
            self.players = players
        }
    }

    typealias Reply = ServiceReply<SessionStatus>

    private enum Message: Sendable {
        case change(SessionRequest, Reply)
        case configurationSaved(SessionChanges.Number, failure: SaveFailure?)
        case otherStreams(OtherStreams?)
        case player(String, wantsSound: Bool)
        case output(String, isThere: Bool)
        case announcing(String, Bool)
        case left(String)
        case machine(MachineNotice, done: @Sendable () -> Void)
        case entriesSaved([OtherStreamChange], failure: SaveFailure?)
        case stop

        /// The request came after the end.
        func refuse() {
            switch self {
            case .change(_, let reply): reply(.failure(.notSaved("The server is going down.")))
            case .machine(_, let done): done()
            case .otherStreams, .player, .output, .announcing, .left, .entriesSaved, .configurationSaved, .stop: break
            }
        }
    }

    private let environment: Environment
    private let mailbox = Mailbox<Message>()
    private let published: Published<SessionStatus, SessionStatus>
    private let thread = Mutex<NamedThread?>(nil)

    public init(_ environment: Environment) {
        self.environment = environment
        let core = SessionNotes.core(environment.notes, interruptsOthers: environment.interruptsOthers)
        published = Published(core.status)
        thread.withLock { $0 = NamedThread("session") { [self] in run(core) } }
        environment.otherStreams?.watchOtherStreams { [mailbox] in mailbox.post(.otherStreams($0)) }
    }

    public var status: SessionStatus { published.value }

    /// Called from the session's thread after each change; must not block.
    public func observe(_ observer: @escaping @Sendable (SessionStatus) -> Void) {
        published.observe(observer)
    }

    /// The state of a player before its first event.
    public func receive(_ snapshot: PlayerSnapshot, of player: String) {
        mailbox.post(.output(player, isThere: snapshot.output.availability == .available))
        mailbox.post(.player(player, wantsSound: snapshot.playWhenReady && snapshot.status != .interrupted))
    }

    /// The player was removed: later events of it are ignored.
    public func forget(_ player: String) { mailbox.post(.left(player)) }

    /// For `Player.observe`.
    public func receive(_ event: PlayerEvent, of player: String) {
        switch event.kind {
        case .status(let status, _, _, let wantsSound, _, _, _):
            mailbox.post(.player(player, wantsSound: wantsSound && status != .interrupted))
        case .output(let output): mailbox.post(.output(player, isThere: output.availability == .available))
        default: break
        }
    }

    /// For the announcer of a player: whether an announcement plays beside or instead of its music.
    public func receive(announcing: Bool, of player: String) { mailbox.post(.announcing(player, announcing)) }

    /// From the login manager; `done` comes once, when the players have followed.
    public func receive(_ notice: MachineNotice, done: @escaping @Sendable () -> Void) {
        if !mailbox.post(.machine(notice, done: done)) { done() }
    }

    /// `reply` comes once: when the whole change is saved and committed, or with the reason of its refusal; then
    /// nothing has changed.
    public func change(_ request: SessionRequest, reply: @escaping ServiceReply<SessionStatus>) {
        if !mailbox.post(.change(request, reply)) { reply(.failure(.notSaved("The server is going down."))) }
    }

    /// Restores other programs' sound; blocks until the requests are sent, 0.5 s at most.
    public func stop() {
        guard mailbox.post(.stop) else { return }
        thread.withLock { $0.take() }?.join(within: 0.5)
    }

    // MARK: On the thread

    private func run(_ initial: SessionCore) {
        var core = initial
        var changes = SessionChanges()
        perform(core.begin())
        while true {
            let messages = mailbox.take(until: changes.deadline)
            if changes.giveUp(at: .now) { makeChanges(&core, &changes) }
            for (index, message) in messages.enumerated() {
                switch message {
                case .change(let request, let reply):
                    changes.add(request, reply)
                    makeChanges(&core, &changes)
                case .configurationSaved(let number, let failure):
                    if let saved = changes.saved(number, failure) { commit(&core, saved.proposal, saved.reply) }
                    makeChanges(&core, &changes)
                case .otherStreams(let new): perform(core.otherStreamsChanged(new))
                case .player(let player, let wantsSound):
                    perform(core.playerChanged(player, wantsSound: wantsSound))
                case .output(let player, let isThere): perform(core.outputChanged(of: player, isThere: isThere))
                case .announcing(let player, let isHeard):
                    perform(core.announcementsChanged(of: player, areHeard: isHeard))
                case .left(let player): perform(core.playerLeft(player))
                case .machine(let notice, let done): perform(core.machineChanged(notice), done: done)
                case .entriesSaved(let changes, nil): environment.otherStreams?.changeOtherStreams(changes)
                case .entriesSaved(let changes, _): core.notSaved(changes)
                case .stop:
                    perform(core.end())
                    changes.refuseAll()
                    for late in messages[(index + 1)...] + mailbox.close() { late.refuse() }
                    return
                }
                publish(core.status)
            }
        }
    }

    /// In order, up to the first change that must be saved, as the following ones may depend on it.
    private func makeChanges(_ core: inout SessionCore, _ changes: inout SessionChanges) {
        while let (request, reply) = changes.next() {
            do throws(Problem) {
                let proposal = try core.propose(request)
                guard proposal.isToBeSaved else {
                    commit(&core, proposal, reply)
                    continue
                }
                let number = changes.begin(
                    proposal, reply, until: .now.advanced(bySeconds: environment.patience))
                save(proposal.configuration, silentSwitch: proposal.silentSwitch, number)
            } catch {
                reply(.failure(error))
            }
        }
        if changes.mustRestore() { save(core.configuration, silentSwitch: core.silentSwitch, nil) }
    }

    private func save(_ configuration: SessionConfiguration, silentSwitch: Bool, _ number: SessionChanges.Number?) {
        environment.store.save(SessionNotes.changes(configuration, silentSwitch: silentSwitch)) { [mailbox] failure in
            if let number { mailbox.post(.configurationSaved(number, failure: failure)) }
        }
    }

    private func commit(_ core: inout SessionCore, _ proposal: SessionCore.Proposal, _ reply: @escaping Reply) {
        let actions = core.commit(proposal)
        let status = core.status
        publish(status)
        perform(actions) { reply(.success(status)) }
    }

    private func publish(_ status: SessionStatus) {
        published.change { published in
            guard published != status else { return nil }
            published = status
            return status
        }
    }

    /// `done` comes when the players have applied the rules.
    private func perform(_ actions: [SessionCore.Action], done: @escaping @Sendable () -> Void = {}) {
        let round = Round(done)
        for action in actions {
            switch action {
            case .applyRules(let rules): command(.applyRules(rules), round)
            case .interrupt(let notice): command(.interruption(notice), round)
            case .pausePlayers(let players): command(.pause, to: players, round)
            case .undo(let changes): environment.otherStreams?.changeOtherStreams(changes)
            case .saveEntries(let entries, let changes):
                environment.store.save(SessionNotes.changes(entries)) { [mailbox] failure in
                    if !changes.isEmpty { mailbox.post(.entriesSaved(changes, failure: failure)) }
                }
            }
        }
        round.end()
    }

    private func command(_ command: PlayerCommand, to players: Set<String>? = nil, _ round: Round) {
        round.begin()
        environment.players.command(command, only: players) { round.end() }
    }
}
