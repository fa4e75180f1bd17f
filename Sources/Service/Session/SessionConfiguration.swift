// SPDX-License-Identifier: Apache-2.0

/// Category, options and mode: valid together, or not made at all.
public struct SessionConfiguration: Hashable, Sendable {
    public let category: SessionCategory
    /// As they were asked for, without those that come with the mode.
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
    ) throws(SessionProblem) {
        // In the order of the list, so that the same request always gets the same answer.
        for option in SessionOption.allCases where options.contains(option) && !option.categories.contains(category) {
            throw .invalid(member: "options", "\(option.rawValue) is not possible with \(category.rawValue).")
        }
        guard mode.categories.contains(category) else {
            throw .invalid(member: "mode", "\(mode.rawValue) is not possible with \(category.rawValue).")
        }
        self.category = category
        self.options = options
        self.mode = mode
    }

    /// With what the mode brings.
    public var effectiveOptions: Set<SessionOption> { options.union(mode.options) }

    /// What becomes of other applications while the session is active.
    public enum Others: String, Sendable { case mix, silenceSpeech = "silence-speech", duck, silence }

    public var others: Others {
        let options = effectiveOptions
        if options.contains(.duckOthers) { return .duck }
        if options.contains(.interruptSpokenAudioAndMix) { return .silenceSpeech }
        return options.contains(.mixWithOthers) || !category.isExclusive ? .mix : .silence
    }
}

public enum SessionProblem: Error, Hashable, Sendable {
    /// 422, with the member of the request.
    case invalid(member: String, String)
    /// 409: the machine has nothing for it.
    case unavailable(String)
    /// 503: there is no device to be active with.
    case noSuitableRoute(String)
    case notSaved(String)
}

/// What the machine has.
public struct SessionHardware: Hashable, Sendable {
    public var hasOutput = false
    /// A microphone or line in; the monitor of an output is none.
    public var hasInput = false

    public var categories: [SessionCategory] {
        SessionCategory.allCases.filter { category in
            (!category.playsSound || hasOutput) && (!category.records || hasInput)
        }
    }
}
