// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The one session of the machine as a pure state machine: inputs in, actions out.
struct SessionCore: Sendable {
    enum Action: Hashable, Sendable {
        /// The permissions of the players.
        case applyRules(SessionRules)
        case interrupt(InterruptionNotice)
        /// Ids of players.
        case pausePlayers(Set<String>)
        case change([OtherStreamChange])
        /// Recorded on disk from before a change until its undo is requested.
        case saveEntries([OtherStreamsPolicy.Entry], then: [OtherStreamChange])
    }

    /// Facts about players that concern the session.
    enum PlayerFact: CaseIterable, Sendable {
        case wantsSound
        /// An output is available.
        case hasOutput
        /// An announcement plays beside or instead of its music.
        case announces
    }

    /// An accepted request. Its lasting part is saved before it is committed.
    struct Proposal: Sendable {
        let configuration: SessionConfiguration
        let silentSwitch: Bool
        let isToBeSaved: Bool
        fileprivate let request: SessionRequest
    }

    private(set) var configuration: SessionConfiguration
    private(set) var silentSwitch: Bool
    private(set) var isLocked = false
    /// Set through the API; nil: follows the music.
    private var activation: Bool?
    /// Ids of the players for which each fact holds.
    private var players: [PlayerFact: Set<String>] = [:]
    /// Others were silenced by the last step.
    private var isSilencing = false
    private var otherStreams: OtherStreams?
    private var policy: OtherStreamsPolicy
    /// The entries as last handed to the store. nil: a save has failed, and the record may differ.
    private var recorded: [OtherStreamsPolicy.Entry]?
    private var rules: SessionRules?
    /// Whether an exclusive session may silence other programs at all.
    private let interruptsOthers: Bool

    init(
        configuration: SessionConfiguration = .standard, silentSwitch: Bool = false,
        entries: [OtherStreamsPolicy.Entry] = [], interruptsOthers: Bool = false
    ) {
        self.configuration = configuration
        self.silentSwitch = silentSwitch
        policy = OtherStreamsPolicy(entries: entries)
        recorded = entries
        self.interruptsOthers = interruptsOthers
    }

    /// True while our music or announcements play; sound effects are too short to count.
    var isActive: Bool { activation ?? (holds(.wantsSound) || holds(.announces)) }

    var hardware: SessionHardware {
        SessionHardware(hasOutput: holds(.hasOutput), hasInput: otherStreams?.hasInput ?? false)
    }

    var status: SessionStatus {
        let audible = otherStreams?.streams.filter { stream in
            !stream.isCorked && (!stream.isMuted || policy.isMutedByUs(stream))
        }
        return SessionStatus(
            configuration: configuration, isActive: isActive, hardware: hardware, silentSwitch: silentSwitch,
            isLocked: isLocked, otherAudioPlaying: audible?.isEmpty == false,
            othersPlayMusic: audible?.contains(where: \.isMusic) ?? false, interruptsOthers: interruptsOthers)
    }

    // MARK: Inputs

    mutating func begin() -> [Action] { settle() }

    /// Changes nothing yet.
    func propose(_ request: SessionRequest) throws(Problem) -> Proposal {
        let new = try request.configuration(from: configuration)
        if new.category != configuration.category, !hardware.categories.contains(new.category) {
            let device = new.category.records && !hardware.hasInput ? "input" : "output"
            throw .sessionForbids("The category \(new.category.rawValue) needs an \(device), and there is none.")
        }
        if request.active == true, new.category.playsSound, !holds(.hasOutput) {
            throw .noSuitableRoute("The session cannot be active without an output.")
        }
        let newSwitch = request.silentSwitch ?? silentSwitch
        return Proposal(
            configuration: new, silentSwitch: newSwitch,
            isToBeSaved: new != configuration || newSwitch != silentSwitch, request: request)
    }

    /// Applies a proposal of this session; no other proposal may be made in between.
    mutating func commit(_ proposal: Proposal) -> [Action] {
        let request = proposal.request
        var actions: [Action] = []
        let wasInForce = isLockInForce
        configuration = proposal.configuration
        silentSwitch = proposal.silentSwitch
        isLocked = request.locked ?? isLocked
        actions += lockChanged(from: wasInForce)
        if let active = request.active {
            // Players silenced by an announcement want sound as well.
            let playing = (players[.wantsSound] ?? []).union(players[.announces] ?? [])
            if !active, !playing.isEmpty { actions.append(.pausePlayers(playing)) }
            // A requested inactivity lasts until the music begins again.
            activation = active ? true : nil
            if !active { (players[.wantsSound], players[.announces]) = ([], []) }
            if !active, !request.notifyOthers { actions.append(.change(policy.forget())) }
        }
        return actions + settle()
    }

    /// The last report of the lock counts, from the machine or from a client.
    mutating func machineChanged(_ notice: MachineNotice) -> [Action] {
        switch notice {
        case .locked(let locked):
            let wasInForce = isLockInForce
            isLocked = locked
            return lockChanged(from: wasInForce)
        case .asleep(let asleep): return [.interrupt(InterruptionNotice(isBeginning: asleep, source: .sleep))]
        }
    }

    private var isLockInForce: Bool { isLocked && configuration.category.followsLock }

    private func lockChanged(from wasInForce: Bool) -> [Action] {
        isLockInForce == wasInForce ? [] : [.interrupt(InterruptionNotice(isBeginning: isLockInForce, source: .lock))]
    }

    mutating func playerChanged(_ player: String, _ fact: PlayerFact, _ holds: Bool) -> [Action] {
        if holds { players[fact, default: []].insert(player) } else { players[fact]?.remove(player) }
        return settle()
    }

    /// The player was removed.
    mutating func playerLeft(_ player: String) -> [Action] {
        for fact in PlayerFact.allCases { players[fact]?.remove(player) }
        return settle()
    }

    /// For any player.
    private func holds(_ fact: PlayerFact) -> Bool { !(players[fact] ?? []).isEmpty }

    mutating func otherStreamsChanged(_ new: OtherStreams?) -> [Action] {
        if new == nil { policy.streamsLost() }
        otherStreams = new
        return settle()
    }

    /// Changes whose entries could not be saved are not made.
    mutating func entriesSaved(_ isSaved: Bool, _ changes: [OtherStreamChange]) -> [Action] {
        guard isSaved else {
            policy.notSaved(changes)
            // The next event saves again. A retry at once would loop as fast as the disk fails.
            recorded = nil
            return []
        }
        return [.change(policy.saved(changes, othersInForce, in: otherStreams))] + settle()
    }

    /// The sound server's answer. Not made: the stream has ended, somebody else changed it first, or the streams are unknown.
    mutating func changeDecided(_ change: OtherStreamChange, isMade: Bool) -> [Action] {
        policy.decided(change, isMade: isMade) ? settle() : []
    }

    /// Restores other programs' sound, for good. Without a sound server the next run does.
    mutating func end() -> [Action] {
        activation = false
        return settle() + [.change(policy.abandonChanges())] + record()
    }

    // MARK: Consequences

    private mutating func settle() -> [Action] {
        var actions: [Action] = []
        let wanted = SessionRules(configuration, silentSwitch: silentSwitch)
        if wanted != rules {
            rules = wanted
            actions.append(.applyRules(wanted))
        }
        let others = othersInForce
        isSilencing = others == .silence
        guard let otherStreams else { return actions + record() }
        let step = policy.step(others, in: otherStreams)
        if !step.undos.isEmpty { actions.append(.change(step.undos)) }
        return actions + record(then: step.changes)
    }

    /// Saves the entries if the record differs, or if changes wait for the save.
    private mutating func record(then changes: [OtherStreamChange] = []) -> [Action] {
        guard recorded != policy.entries || !changes.isEmpty else { return [] }
        recorded = policy.entries
        return [.saveEntries(policy.entries, then: changes)]
    }

    private var othersInForce: SessionConfiguration.Others {
        guard isActive else { return .mix }
        // Ducking is requested by an option; silencing is only implied by a category.
        if configuration.others == .silence, !interruptsOthers { return .mix }
        // An announcement alone does not silence other programs, but they stay silent while it interrupts the music.
        let isForMusic = activation == true || holds(.wantsSound) || isSilencing
        return configuration.others == .silence && !isForMusic ? .mix : configuration.others
    }
}
