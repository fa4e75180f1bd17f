// SPDX-License-Identifier: Apache-2.0

public import Playback

/// A voice's report on its current sound.
public enum VoiceReport: Hashable, Sendable {
    /// The sink's clock advances.
    case heard
    /// Silent at present; it may be heard again.
    case silent
    /// It played to its end.
    case finished
    case failed(PlaybackError)
}

public enum VoiceKind: String, Sendable { case announcement, effect }

/// Plays one sound at a time beside the music. It decouples the schedules from players and outputs, so that they can be
/// tested without them. Any thread; only `end` blocks, for up to 1.5 s.
public protocol Voice: AnyObject, Sendable {
    /// Replaces the current sound. Reports on the new one carry `id`.
    func play(_ sound: Sound, id: SoundID)
    func pause()
    func resume()
    func stop()
    func apply(_ rules: SessionRules)
    func apply(_ effects: EffectSettings)
    func end()
}

public protocol VoiceMaking: Sendable {
    /// The reason if no sound can be played beside the music; else nil.
    var refusal: String? { get }
    /// nil if the machine has no threads or descriptors left. `isPinned`: without `device` its sounds fail; otherwise they
    /// are then heard on another one. `report` comes from any thread and must not block.
    func voice(
        _ kind: VoiceKind, on device: String?, isPinned: Bool, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)?
}

/// The music beside which announcements play. Any thread; nothing blocks.
public protocol AnnouncedMusic: Sendable {
    var output: OutputStatus { get }
    /// The user's volume as amplitude 0...1.
    var volume: Double { get }
    var effects: EffectSettings { get }
    /// A factor beside the volume; 1 restores the music.
    func duck(to gain: Double, over seconds: Double)
    /// As an interruption of the source `announcement`. `done` comes once, within 1 s, when the music has followed and
    /// all observers are notified.
    func interrupt(_ isBeginning: Bool, done: @escaping @Sendable () -> Void)
}

extension Player: AnnouncedMusic {
    public var output: OutputStatus { snapshot.output }
    public var volume: Double { snapshot.settings.volume }
    public var effects: EffectSettings { snapshot.settings.effects }

    public func interrupt(_ isBeginning: Bool, done: @escaping @Sendable () -> Void) {
        perform(.interruption(InterruptionNotice(isBeginning: isBeginning, source: .announcement))) { _ in done() }
    }
}
