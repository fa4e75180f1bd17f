// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Category, options and mode; always a valid combination.
public struct SessionConfiguration: Hashable, Sendable {
    public let category: SessionCategory
    /// As requested, without those implied by the mode.
    public let options: Set<SessionOption>
    public let mode: SessionMode

    public static let standard = SessionConfiguration()

    private init() {
        category = .playback
        options = []
        mode = .default
    }

    public init(
        category: SessionCategory, options: Set<SessionOption> = [], mode: SessionMode = .default
    ) throws(Problem) {
        // In the order of the list, so that the same request always gets the same answer.
        for option in SessionOption.allCases where options.contains(option) && !option.categories.contains(category) {
            throw .invalid("options", "\(option.rawValue) is not possible with \(category.rawValue).")
        }
        guard mode.categories.contains(category) else {
            throw .invalid("mode", "\(mode.rawValue) is not possible with \(category.rawValue).")
        }
        self.category = category
        self.options = options
        self.mode = mode
    }

    /// Including those implied by the mode.
    public var effectiveOptions: Set<SessionOption> { options.union(mode.options) }

    /// Treatment of other programs while the session is active.
    public enum Others: String, Sendable { case mix, silenceSpeech = "silence-speech", duck, silence }

    public var others: Others {
        let options = effectiveOptions
        if options.contains(.duckOthers) { return .duck }
        if options.contains(.interruptSpokenAudioAndMix) { return .silenceSpeech }
        return options.contains(.mixWithOthers) || !category.isExclusive ? .mix : .silence
    }
}

extension Problem {
    /// The machine has nothing for it, or the category does not allow it.
    static func sessionForbids(_ detail: String) -> Problem { Problem(.conflict, "session-forbids", detail) }

    /// There is no device.
    static func noSuitableRoute(_ detail: String) -> Problem {
        Problem(.unavailable, "no-suitable-route", detail, retryAfter: 2)
    }
}

/// The devices of the machine.
public struct SessionHardware: Hashable, Sendable {
    public var hasOutput = false
    /// A microphone or line input; monitors of outputs do not count.
    public var hasInput = false

    public var categories: [SessionCategory] {
        SessionCategory.allCases.filter { category in
            (!category.playsSound || hasOutput) && (!category.records || hasInput)
        }
    }
}

extension SessionRules {
    /// The rules that follow from a configuration.
    public init(_ configuration: SessionConfiguration, silentSwitch: Bool) {
        self.init()
        let options = configuration.effectiveOptions
        if !configuration.category.playsSound {
            refusal = "The session's category is \(configuration.category.rawValue): nothing is played."
        }
        isSilenced = silentSwitch && configuration.category.followsSilentSwitch
        role = configuration.mode.role
        isUnprocessed = configuration.mode == .measurement
        if configuration.category == .playAndRecord {
            routes.allowsBluetooth = !options.isDisjoint(with: [.allowBluetooth, .allowBluetoothA2DP])
            routes.allowsNetwork = options.contains(.allowAirPlay)
        }
        routes.prefersSpeaker = options.contains(.defaultToSpeaker)
    }

    /// For sounds beside the music, which the lock does not interrupt.
    public init(besideMusic status: SessionStatus) {
        self.init(status.configuration, silentSwitch: status.silentSwitch)
        if status.isLocked, status.configuration.category.followsLock {
            refusal = "The screen is locked, which silences \(status.configuration.category.rawValue)."
        }
    }
}
