// SPDX-License-Identifier: Apache-2.0

/// The session as clients see it.
public struct SessionStatus: Hashable, Sendable {
    public var configuration = SessionConfiguration.standard
    public var isActive = false
    public var hardware = SessionHardware()
    public var silentSwitch = false
    public var isLocked = false
    /// Another application plays, or would if we had not silenced it.
    public var otherAudioPlaying = false
    /// What it plays is more than a beep: who plays in the background should be silent.
    public var othersPlayMusic = false
    public var interruptsOthers = false

    /// What a recorder asks before it begins; nil: it may.
    public var recordingRefusal: Problem? {
        guard configuration.category.records else {
            return .sessionForbids("The session's category is \(configuration.category.rawValue): nothing is recorded.")
        }
        return hardware.hasInput ? nil : .noSuitableRoute("There is no input to record from.")
    }
}

/// What a client asks for; nil leaves a member as it is. All of it comes into force, or nothing.
public struct SessionRequest: Hashable, Sendable {
    public var category: SessionCategory?
    public var options: Set<SessionOption>?
    public var mode: SessionMode?
    public var active: Bool?
    /// When it becomes inactive: others get back what was taken from them.
    public var notifyOthers = true
    public var silentSwitch: Bool?
    public var locked: Bool?

    public init() {}

    func configuration(from old: SessionConfiguration) throws(Problem) -> SessionConfiguration {
        try SessionConfiguration(
            category: category ?? old.category, options: options ?? old.options, mode: mode ?? old.mode)
    }
}
