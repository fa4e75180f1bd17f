// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Messages to the session's thread.
enum SessionMessage: Sendable {
    case change(SessionRequest, ServiceReply<SessionStatus>)
    case configurationSaved(UInt64, failure: SaveFailure?)
    case otherStreams(OtherStreamsReport)
    case player(String, SessionCore.PlayerFact, Bool)
    case left(String)
    case machine(MachineNotice, done: @Sendable () -> Void)
    case entriesSaved([OtherStreamChange], failure: SaveFailure?)
    case stop

    func refuse(_ reason: String) {
        switch self {
        case .change(_, let reply): reply(.failure(.notSaved(reason)))
        case .machine(_, let done): done()
        case .otherStreams, .player, .left, .entriesSaved, .configurationSaved, .stop: break
        }
    }
}

/// The session's loop: feeds the state machine and performs its actions. Lives on the session's thread.
final class SessionLoop {
    private let environment: LiveSession.Environment
    private let mailbox: Mailbox<SessionMessage>
    private let published: Published<SessionStatus, SessionStatus>
    private var core: SessionCore
    private var changes: PendingChanges<SessionRequest, SessionCore.Proposal, SessionStatus>

    init(
        _ environment: LiveSession.Environment, _ core: SessionCore, _ mailbox: Mailbox<SessionMessage>,
        _ published: Published<SessionStatus, SessionStatus>
    ) {
        self.environment = environment
        self.core = core
        self.mailbox = mailbox
        self.published = published
        changes = PendingChanges(refusal: "The session cannot be saved", patience: environment.patience)
    }

    func run() {
        perform(core.begin())
        while true {
            for message in mailbox.take(until: changes.deadline) {
                if case .stop = message { return end() }
                receive(message)
                publish(core.status)
            }
            if changes.giveUp(at: .now) {
                save(core.configuration, silentSwitch: core.silentSwitch) { _ in }
            }
        }
    }

    private func receive(_ message: SessionMessage) {
        switch message {
        case .change(let request, let reply):
            changes.add(request, reply)
            makeChanges()
        case .configurationSaved(let number, let failure):
            if let saved = changes.saved(number, failure) { commit(saved.change, saved.reply) }
            makeChanges()
        case .otherStreams(.streams(let new)): perform(core.otherStreamsChanged(new))
        case .otherStreams(.decided(let change, let isMade)): perform(core.changeDecided(change, isMade: isMade))
        case .player(let player, let fact, let holds): perform(core.playerChanged(player, fact, holds))
        case .left(let player): perform(core.playerLeft(player))
        case .machine(let notice, let done): perform(core.machineChanged(notice), done: done)
        case .entriesSaved(let changes, let failure): perform(core.entriesSaved(failure == nil, changes))
        case .stop: break
        }
    }

    private func end() {
        perform(core.end())
        changes.refuseAll(.notSaved("The server is going down."))
    }

    /// In order, up to the first change that must be saved, as later ones may depend on it.
    private func makeChanges() {
        while let (request, reply) = changes.next() {
            do throws(Problem) {
                let proposal = try core.propose(request)
                guard proposal.isToBeSaved else {
                    commit(proposal, reply)
                    continue
                }
                let number = changes.begin(proposal, reply, at: .now)
                save(proposal.configuration, silentSwitch: proposal.silentSwitch) { [mailbox] in
                    mailbox.post(.configurationSaved(number, failure: $0))
                }
            } catch {
                reply(.failure(error))
            }
        }
    }

    private func save(
        _ configuration: SessionConfiguration, silentSwitch: Bool, done: @escaping @Sendable (SaveFailure?) -> Void
    ) {
        environment.store.save([SessionNotes.change(configuration, silentSwitch: silentSwitch)], completion: done)
    }

    private func commit(_ proposal: SessionCore.Proposal, _ reply: @escaping ServiceReply<SessionStatus>) {
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

    /// `done` is called when the players have applied the rules.
    private func perform(_ actions: [SessionCore.Action], done: @escaping @Sendable () -> Void = {}) {
        let round = Round(done)
        for action in actions {
            switch action {
            case .applyRules(let rules): command(.applyRules(rules), round)
            case .interrupt(let notice): command(.interruption(notice), round)
            case .pausePlayers(let players): command(.pause, to: players, round)
            case .change(let changes): if !changes.isEmpty { environment.otherStreams?.changeOtherStreams(changes) }
            case .saveEntries(let entries, let changes):
                environment.store.save([SessionNotes.change(entries)]) { [mailbox] failure in
                    if !changes.isEmpty || failure != nil { mailbox.post(.entriesSaved(changes, failure: failure)) }
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
