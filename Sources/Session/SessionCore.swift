// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The one session of the machine as a pure state machine: inputs go in, what is to be done comes out.
public struct SessionCore: Sendable {
    public enum Action: Hashable, Sendable {
        /// What the players may do.
        case obey(SessionRules)
        case interrupt(InterruptionNotice)
        case pausePlayers
        /// Kept on disk from before `make` until after `undo`.
        case undo([NeighbourChange])
        case saveEntries([NeighbourPolicy.Entry], then: [NeighbourChange])
    }

    /// A request that nothing speaks against. What of it must survive is saved before it is committed.
    public struct Proposal: Sendable {
        public let configuration: SessionConfiguration
        public let silentSwitch: Bool
        public let isToBeSaved: Bool
        fileprivate let request: SessionRequest
    }

    public private(set) var configuration: SessionConfiguration
    public private(set) var silentSwitch: Bool
    public private(set) var isLocked = false
    /// Set through the API; nil: as the music goes.
    private var activation: Bool?
    private var playerWantsSound = false
    private var hasOutput = false
    private var neighbourhood: Neighbourhood?
    private var policy: NeighbourPolicy
    private var rules: SessionRules?
    /// Whether an exclusive session may reach into other applications at all.
    private let interruptsOthers: Bool

    public init(
        configuration: SessionConfiguration = .standard, silentSwitch: Bool = false,
        entries: [NeighbourPolicy.Entry] = [], interruptsOthers: Bool = false
    ) {
        self.configuration = configuration
        self.silentSwitch = silentSwitch
        policy = NeighbourPolicy(entries: entries)
        self.interruptsOthers = interruptsOthers
    }

    public var isActive: Bool { activation ?? playerWantsSound }

    public var hardware: SessionHardware {
        SessionHardware(hasOutput: hasOutput, hasInput: neighbourhood?.hasInput ?? false)
    }

    public var status: SessionStatus {
        let audible = neighbourhood?.streams.filter { stream in
            !stream.isCorked && (!stream.isMuted || policy.isMutedByUs(stream))
        }
        return SessionStatus(
            configuration: configuration, isActive: isActive, hardware: hardware, silentSwitch: silentSwitch,
            isLocked: isLocked, otherAudioPlaying: audible?.isEmpty == false,
            othersPlayMusic: audible?.contains(where: \.isMusic) ?? false, interruptsOthers: interruptsOthers)
    }

    // MARK: Inputs

    public mutating func begin() -> [Action] { settle() }

    /// Changes nothing yet.
    public func propose(_ request: SessionRequest) throws(SessionProblem) -> Proposal {
        let new = try request.configuration(from: configuration)
        if new.category != configuration.category, !hardware.categories.contains(new.category) {
            throw .unavailable("There is no device for \(new.category.rawValue).")
        }
        if request.active == true, new.category.playsSound, !hasOutput {
            throw .noSuitableRoute("There is no output to be active with.")
        }
        let newSwitch = request.silentSwitch ?? silentSwitch
        return Proposal(
            configuration: new, silentSwitch: newSwitch,
            isToBeSaved: new != configuration || newSwitch != silentSwitch, request: request)
    }

    /// Brings into force what was proposed to this session; no other proposal may lie between.
    public mutating func commit(_ proposal: Proposal) -> [Action] {
        let request = proposal.request
        var actions: [Action] = []
        let obeyedLock = isLocked && configuration.category.obeysLock
        configuration = proposal.configuration
        silentSwitch = proposal.silentSwitch
        isLocked = request.locked ?? isLocked
        let obeysLock = isLocked && configuration.category.obeysLock
        if obeysLock != obeyedLock {
            actions.append(.interrupt(InterruptionNotice(isBeginning: obeysLock, source: .lock)))
        }
        if let active = request.active {
            if !active, playerWantsSound { actions.append(.pausePlayers) }
            // Inactive by request only until the music begins again.
            activation = active ? true : nil
            if !active { playerWantsSound = false }
            if !active, !request.notifyOthers {
                policy.forget()
                actions.append(.saveEntries([], then: []))
            }
        }
        return actions + settle()
    }

    public mutating func playerChanged(wantsSound: Bool) -> [Action] {
        playerWantsSound = wantsSound
        return settle()
    }

    public mutating func outputChanged(isThere: Bool) -> [Action] {
        hasOutput = isThere
        return settle()
    }

    public mutating func neighbourhoodChanged(_ new: Neighbourhood?) -> [Action] {
        neighbourhood = new
        return settle()
    }

    public mutating func notSaved(_ changes: [NeighbourChange]) { policy.withdraw(changes) }

    /// Gives back what was taken from others, for good.
    public mutating func end() -> [Action] {
        activation = false
        return settle()
    }

    // MARK: What follows

    private mutating func settle() -> [Action] {
        var actions: [Action] = []
        let wanted = wantedRules
        if wanted != rules {
            rules = wanted
            actions.append(.obey(wanted))
        }
        guard let neighbourhood else { return actions }
        let step = policy.step(othersInForce, in: neighbourhood)
        if !step.undone.isEmpty { actions.append(.undo(step.undone)) }
        if step.isToBeSaved { actions.append(.saveEntries(policy.entries, then: step.made)) }
        return actions
    }

    private var othersInForce: SessionConfiguration.Others {
        guard isActive else { return .mix }
        // To be ducked is asked for by an option; to be silenced is only what a category implies.
        if configuration.others == .silence, !interruptsOthers { return .mix }
        return configuration.others
    }

    private var wantedRules: SessionRules {
        var rules = SessionRules()
        let options = configuration.effectiveOptions
        if !configuration.category.playsSound {
            rules.refusal = "The session's category is \(configuration.category.rawValue): nothing is played."
        }
        rules.isSilenced = silentSwitch && configuration.category.obeysSilentSwitch
        rules.role = configuration.mode.role
        rules.isUnprocessed = configuration.mode == .measurement
        if configuration.category == .playAndRecord {
            rules.routes.allowsBluetooth = !options.isDisjoint(with: [.allowBluetooth, .allowBluetoothA2DP])
            rules.routes.allowsNetwork = options.contains(.allowAirPlay)
        }
        rules.routes.prefersSpeaker = options.contains(.defaultToSpeaker)
        return rules
    }
}
