// SPDX-License-Identifier: Apache-2.0

/// The session as clients see it.
public struct SessionStatus: Hashable, Sendable {
    public var configuration = SessionConfiguration.standard
    public var isActive = false
    public var hardware = SessionHardware()
    public var silentSwitch = false
    public var isLocked = false
    /// Another program plays, or would play if we had not silenced it.
    public var otherAudioPlaying = false
    /// Another program plays more than a beep: background sound should be silent.
    public var othersPlayMusic = false
    public var interruptsOthers = false

    /// Why recording is not permitted; nil: it is.
    public var recordingRefusal: Problem? {
        guard configuration.category.records else {
            let category = configuration.category.rawValue
            return .sessionForbids("The session's category is \(category): record or play-and-record is needed.")
        }
        return hardware.hasInput ? nil : .noSuitableRoute("There is no input to record from.")
    }
}

/// A client's request; nil leaves a member unchanged. It is applied completely or not at all.
public struct SessionRequest: Hashable, Sendable {
    public var category: SessionCategory?
    public var options: Set<SessionOption>?
    public var mode: SessionMode?
    public var active: Bool?
    /// When it becomes inactive: restores other programs' sound.
    public var notifyOthers = true
    public var silentSwitch: Bool?
    public var locked: Bool?

    public init() {}

    func configuration(from old: SessionConfiguration) throws(Problem) -> SessionConfiguration {
        try SessionConfiguration(
            category: category ?? old.category, options: options ?? old.options, mode: mode ?? old.mode)
    }
}
