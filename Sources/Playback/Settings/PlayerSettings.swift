// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The values that a user sets.
///
/// A setting is declared here and nowhere else: its property with the default, and its line in `table`. openapi.yaml
/// describes it (a test compares both), and the code that uses it reads the property.
public struct PlayerSettings: Hashable, Sendable {
    public enum Repeat: String, CaseIterable, SettingConvertible { case off, one, all }
    public enum ErrorPolicy: String, CaseIterable, SettingConvertible { case skip, stop }
    public enum InterruptionPolicy: String, CaseIterable, SettingConvertible {
        case auto
        case notifyOnly = "notify-only"
    }

    /// Seconds in which what sounds fades out, beside the volume; 0: a few milliseconds, so that nothing clicks.
    public struct Fades: Hashable, Sendable {
        /// Also in which it fades in again.
        public var pause = 0.0
        public var stop = 0.0
        /// Before another item, as far as is decoded.
        public var skip = 0.0
    }

    /// For people. Empty until the player was named.
    public var name = ""
    /// Id of the player that this one follows, in step. nil: none.
    public var leader: String?
    /// Amplitude.
    public var volume = 1.0
    /// The volume as it is perceived (see `Level`).
    public var level: Double {
        get { Level.of(amplitude: volume) }
        set { volume = Level.amplitude(newValue) }
    }
    public var muted = false
    /// -1 (left only) ... 1 (right only).
    public var balance = 0.0
    /// Media seconds per second, of what the current item is.
    public var playbackRate: Double {
        get { playsSpeech ? speechRate : musicRate }
        set { if playsSpeech { speechRate = newValue } else { musicRate = newValue } }
    }
    public static let playbackRates = 0.25...4.0
    public var musicRate = 1.0
    /// Podcasts and audiobooks.
    public var speechRate = 1.0
    /// The current item is speech. Not saved.
    public internal(set) var playsSpeech = false
    /// When not, the pitch follows the rate, as on a turntable.
    public var preservesPitch = true
    /// Cents.
    public var pitch = 0.0
    public var repeats = Repeat.off
    /// Plays the queue in random order, without changing the queue's own order.
    public var shuffle = false
    /// Items leave the queue once they were heard.
    public var consume = false
    /// One-shot: cleared when it has stopped.
    public var stopAfterCurrent = false
    /// After an item that cannot be played, the next one plays or the player stops.
    public var onError = ErrorPolicy.skip
    /// Seconds in which two items that follow each other sound together.
    public var crossfade = 0.0
    public var fades = Fades()
    /// Of the current item: another one has none.
    public var abLoop: ABLoop?
    /// Play an item as soon as it is loaded through an edit of an idle player's queue.
    public var autoPlay = false
    /// Seconds into the current item from which on `previous` restarts it; 0: never.
    public var previousRestartsAfter = 3.0
    /// Seconds that are decoded ahead of the sink; 0: as the server was started (`DecodeBuffering`).
    public var decodeAhead = 0.0
    public var remote = RemoteSettings()
    /// Whether the player falls silent when others take the sound, or only reports it.
    public var interruptionPolicy = InterruptionPolicy.auto
    /// Music that an interruption silenced continues by itself afterwards.
    public var autoResume = true
    /// Seconds after which a program's interruption counts as ended; 0: never.
    public var interruptionTimeout = 0.0
    /// Whether the music pauses when headphones are lost.
    public var routePolicy = RoutePolicy.pause
    /// Id of the output device that the user chose; nil follows the default.
    public var outputDevice: String?
    /// A resource of its own, as the presets are: changed by `PlayerCommand.changeEffects`.
    public var effects = EffectSettings()
    /// The player's own ones.
    public var effectPresets: [EffectPreset] = []

    public init() {}

    /// In the order in which replies have them. The members of one object stand together.
    public static let table: [Setting] = [
        Setting("name", \.name, .name),
        Setting("leader", \.leader, saved: .never),
        Setting("volume", \.volume, .number(0...1)),
        Setting("level", \.level, .number(0...1), saved: .never),
        Setting("muted", \.muted),
        Setting("balance", \.balance, .number(-1...1)),
        Setting("playbackRate", \.playbackRate, .number(playbackRates), saved: .never, sharing: .leaders),
        Setting(
            "musicRate", \.musicRate, .number(playbackRates), saved: .named("playbackRate"), sharing: .leaders,
            place: .elsewhere),
        Setting("speechRate", \.speechRate, .number(playbackRates), sharing: .leaders, place: .elsewhere),
        Setting("preservePitch", \.preservesPitch, sharing: .leaders),
        Setting("pitch", \.pitch, .number(-1_200...1_200), sharing: .leaders),
        Setting("repeat", \.repeats, sharing: .leaders),
        Setting("shuffle", \.shuffle, sharing: .leaders),
        Setting("consume", \.consume, sharing: .leaders),
        Setting("stopAfterCurrent", \.stopAfterCurrent, sharing: .leaders),
        Setting("onError", \.onError, sharing: .leaders),
        Setting("crossfade", \.crossfade, .number(0...20), sharing: .leaders),
        Setting("fades.pause", \.fades.pause, .number(0...2)),
        Setting("fades.stop", \.fades.stop, .number(0...2)),
        Setting("fades.skip", \.fades.skip, .number(0...2)),
        Setting("autoPlay", \.autoPlay),
        Setting("previousRestartsAfter", \.previousRestartsAfter, .number(0...3600)),
        Setting("decodeAhead", \.decodeAhead, .number(0...2)),
        Setting("mpris", \.remote.mpris, saved: .named("remote.mpris")),
        Setting("nowPlaying.enabled", \.remote.showsMetadata, saved: .named("remote.showsMetadata")),
        Setting("nowPlaying.preferTags", \.remote.prefersTags, saved: .named("remote.prefersTags")),
        Setting("remoteCommands.enabled", \.remote.commands.enabled, saved: .named("remote.enabled")),
        Setting("remoteCommands.play", \.remote.commands.play, saved: .named("remote.play")),
        Setting("remoteCommands.pause", \.remote.commands.pause, saved: .named("remote.pause")),
        Setting("remoteCommands.next", \.remote.commands.next, saved: .named("remote.next")),
        Setting("remoteCommands.previous", \.remote.commands.previous, saved: .named("remote.previous")),
        Setting("remoteCommands.seek", \.remote.commands.seek, saved: .named("remote.seek")),
        Setting("remoteCommands.skip", \.remote.commands.skip, saved: .named("remote.skip")),
        Setting(
            "remoteCommands.skipInterval", \.remote.commands.skipInterval, .number(0.1...3600),
            saved: .named("remote.skipInterval")),
        Setting("interruptionPolicy", \.interruptionPolicy),
        Setting("autoResume", \.autoResume),
        Setting("interruptionTimeout", \.interruptionTimeout, .number(0...86_400)),
        Setting("routePolicy", \.routePolicy, place: .elsewhere),
        Setting("outputDevice", \.outputDevice, place: .elsewhere),
    ]

    /// 1...100 code points, no control characters, not only spaces: can be shown in one line.
    public static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...100).contains(scalars.count) && scalars.contains { !$0.properties.isWhitespace }
            && !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// A follower has the order of its leader.
    mutating func followOnly() {
        for setting in Self.table where setting.sharing == .leaders { setting.set(setting.defaultValue, in: &self) }
        abLoop = nil
    }
}

/// Loudness as it is perceived, 0...1. The amplitude is its cube: half of it is 18 dB quieter.
public enum Level {
    /// `level` outside 0...1 is taken as the nearest bound.
    public static func amplitude(_ level: Double) -> Double {
        let level = min(1, max(0, level))
        return level * level * level
    }

    /// Rounded to nine decimals, so that what was set as a decimal is read as it was set.
    public static func of(amplitude: Double) -> Double { (cbrt(amplitude) * 1e9).rounded() / 1e9 }
}
