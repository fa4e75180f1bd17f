// SPDX-License-Identifier: Apache-2.0

public import Playback

/// What a voice reports of the sound that it was given last.
public enum VoiceReport: Hashable, Sendable {
    /// The sink's clock advances with it.
    case heard
    /// It is not heard at present, and may be again.
    case silent
    /// It was heard to its end.
    case finished
    case failed(PlaybackError)
}

public enum VoiceKind: String, Sendable { case announcement, effect }

/// Plays one sound at a time beside the music. It decouples the schedules from players and outputs, so that they are
/// tested without. Any thread; only `end` blocks, for up to 1.5 s.
public protocol Voice: AnyObject, Sendable {
    /// Ends what it plays. Reports of this sound carry `id`.
    func play(_ sound: Sound, id: SoundID)
    func pause()
    func resume()
    func stop()
    func apply(_ rules: SessionRules)
    func apply(_ effects: EffectSettings)
    func end()
}

public protocol VoiceMaking: Sendable {
    /// Why there is no sound beside the music; nil when there is.
    var refusal: String? { get }
    /// nil when the machine has no threads or descriptors left for it. `report` comes from any thread and must not block.
    func voice(
        _ kind: VoiceKind, on device: String?, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) -> (any Voice)?
}

/// The music that announcements are beside. Any thread; nothing blocks.
public protocol AnnouncedMusic: Sendable {
    var output: OutputStatus { get }
    /// Amplitude 0...1, as the user has set it.
    var volume: Double { get }
    var effects: EffectSettings { get }
    /// A factor beside the volume; 1 as it was.
    func duck(to gain: Double, over seconds: Double)
    /// As an interruption of the source `announcement`. `done` comes once, when the music has followed and all who watch it
    /// have been notified, within 1 s.
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
