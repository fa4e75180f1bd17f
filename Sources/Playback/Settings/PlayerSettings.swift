// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's settings.
///
/// A setting is declared here and nowhere else: its property with the default, and its entry in `table`. openapi.yaml
/// describes it (a test compares both), and the code that uses it reads the property.
public struct PlayerSettings: Hashable, Sendable {
    public enum Repeat: String, CaseIterable, SettingConvertible { case off, one, all }
    public enum ErrorPolicy: String, CaseIterable, SettingConvertible { case skip, stop }
    public enum InterruptionPolicy: String, CaseIterable, SettingConvertible {
        case auto
        case notifyOnly = "notify-only"
    }

    /// Fade-outs in seconds, besides the volume; 0: a few milliseconds, without a click.
    public struct Fades: Hashable, Sendable {
        /// Also the fade-in after a pause.
        public var pause = 0.0
        public var stop = 0.0
        /// Before another item, as far as frames are decoded.
        public var skip = 0.0
    }

    /// The display name; empty until the player is named.
    public var name = ""
    /// The id of the player that this one follows in step; nil: none.
    public var leader: String?
    /// Amplitude.
    public var volume = 1.0
    /// The perceived volume (see `Level`).
    public var level: Double {
        get { Level.of(amplitude: volume) }
        set { volume = Level.amplitude(newValue) }
    }
    public var muted = false
    /// -1 (left only) ... 1 (right only).
    public var balance = 0.0
    /// Media seconds per second, for the kind of the current item.
    public var playbackRate: Double {
        get { playsSpeech ? speechRate : musicRate }
        set { if playsSpeech { speechRate = newValue } else { musicRate = newValue } }
    }
    public static let playbackRates = 0.25...4.0
    public var musicRate = 1.0
    /// The rate for podcasts and audiobooks.
    public var speechRate = 1.0
    /// The current item is speech. Not saved.
    public internal(set) var playsSpeech = false
    /// If false, the pitch follows the rate, as on a turntable.
    public var preservesPitch = true
    /// Cents.
    public var pitch = 0.0
    public var repeats = Repeat.off
    /// Plays the queue in random order, without changing the queue's own order.
    public var shuffle = false
    /// Removes items from the queue once they were heard.
    public var consume = false
    /// Cleared when the player has stopped.
    public var stopAfterCurrent = false
    /// The reaction to an item that fails: play the next one, or stop.
    public var onError = ErrorPolicy.skip
    /// Seconds in which consecutive items overlap.
    public var crossfade = 0.0
    public var fades = Fades()
    /// The A-B loop of the current item; cleared with another item.
    public var abLoop: ABLoop?
    /// Plays an item at once if an edit loads it into an idle player.
    public var autoPlay = false
    /// Seconds into the current item after which `previous` restarts it; 0: never.
    public var previousRestartsAfter = 3.0
    /// Seconds to decode ahead of the sink; 0: as configured at the server's start (`DecodeBuffering`).
    public var decodeAhead = 0.0
    public var remote = RemoteSettings()
    /// The reaction to an interruption: silence, or only a report.
    public var interruptionPolicy = InterruptionPolicy.auto
    /// The music resumes after an interruption.
    public var autoResume = true
    /// Seconds after which an interruption by a program counts as ended; 0: never.
    public var interruptionTimeout = 0.0
    /// The reaction to the loss of headphones.
    public var routePolicy = RoutePolicy.pause
    /// The id of the output device that the user chose; nil: the default device.
    public var outputDevice: String?
    /// A separate resource, like the presets: changed by `PlayerCommand.changeEffects`.
    public var effects = EffectSettings()
    /// The user's presets.
    public var effectPresets: [EffectPreset] = []

    public init() {}

    /// In the order of replies. The members of one object are adjacent.
    public static let table: [Setting] = [
        Setting("name", \.name, .name, meaning: "the name that is shown"),
        Setting("leader", \.leader, meaning: "the id of the player that it follows", saved: .never),
        Setting("volume", \.volume, .number(0...1), meaning: "amplitude: half is 6 dB quieter"),
        Setting("level", \.level, .number(0...1), meaning: "perceived loudness: half is 18 dB quieter", saved: .never),
        Setting("muted", \.muted),
        Setting("balance", \.balance, .number(-1...1), meaning: "-1 is left only, 1 is right only"),
        Setting(
            "playbackRate", \.playbackRate, .number(playbackRates), meaning: "the speed; 1 is normal", saved: .never,
            sharing: .leaders),
        Setting(
            "musicRate", \.musicRate, .number(playbackRates), saved: .named("playbackRate"), sharing: .leaders,
            place: .elsewhere),
        Setting("speechRate", \.speechRate, .number(playbackRates), sharing: .leaders, place: .elsewhere),
        Setting("preservePitch", \.preservesPitch, meaning: "off: the pitch follows the speed", sharing: .leaders),
        Setting("pitch", \.pitch, .number(-1_200...1_200), meaning: "cents: 100 are a semitone", sharing: .leaders),
        Setting("repeat", \.repeats, sharing: .leaders),
        Setting("shuffle", \.shuffle, sharing: .leaders),
        Setting("consume", \.consume, meaning: "items leave the queue once they were heard", sharing: .leaders),
        Setting("stopAfterCurrent", \.stopAfterCurrent, meaning: "once, at the end of the item", sharing: .leaders),
        Setting("onError", \.onError, meaning: "after an item that fails", sharing: .leaders),
        Setting("crossfade", \.crossfade, .number(0...20), meaning: "seconds", sharing: .leaders),
        Setting("fades.pause", \.fades.pause, .number(0...2), meaning: "seconds", sharing: .leaders),
        Setting("fades.stop", \.fades.stop, .number(0...2), meaning: "seconds", sharing: .leaders),
        Setting("fades.skip", \.fades.skip, .number(0...2), meaning: "seconds, before another item", sharing: .leaders),
        Setting("autoPlay", \.autoPlay, meaning: "an item that is added to an idle player plays"),
        Setting(
            "previousRestartsAfter", \.previousRestartsAfter, .number(0...3600),
            meaning: "seconds after which previous restarts the item; 0: never"),
        Setting("decodeAhead", \.decodeAhead, .number(0...2), meaning: "seconds; 0: as the server was started"),
        Setting(
            "mpris", \.remote.mpris, meaning: "media keys and playerctl control the player",
            saved: .named("remote.mpris")),
        Setting(
            "nowPlaying.enabled", \.remote.showsMetadata, meaning: "the desktop shows title, artist and picture",
            saved: .named("remote.showsMetadata")),
        Setting(
            "nowPlaying.preferTags", \.remote.prefersTags, meaning: "the tags of a file replace the texts of its item",
            saved: .named("remote.prefersTags")),
        Setting(
            "remoteCommands.enabled", \.remote.commands.enabled,
            meaning: "off: none of the desktop's commands has an effect",
            saved: .named("remote.enabled")),
        Setting("remoteCommands.play", \.remote.commands.play, saved: .named("remote.play")),
        Setting("remoteCommands.pause", \.remote.commands.pause, saved: .named("remote.pause")),
        Setting("remoteCommands.next", \.remote.commands.next, saved: .named("remote.next")),
        Setting("remoteCommands.previous", \.remote.commands.previous, saved: .named("remote.previous")),
        Setting("remoteCommands.seek", \.remote.commands.seek, saved: .named("remote.seek")),
        Setting(
            "remoteCommands.skip", \.remote.commands.skip, meaning: "next and previous skip within the item",
            saved: .named("remote.skip")),
        Setting(
            "remoteCommands.skipInterval", \.remote.commands.skipInterval, .number(0.1...3600), meaning: "seconds",
            saved: .named("remote.skipInterval")),
        Setting("interruptionPolicy", \.interruptionPolicy, meaning: "auto: interruptions silence the music"),
        Setting("autoResume", \.autoResume, meaning: "after an interruption"),
        Setting(
            "interruptionTimeout", \.interruptionTimeout, .number(0...86_400),
            meaning: "seconds after which an interruption by a program ends; 0: never"),
        Setting("routePolicy", \.routePolicy, place: .elsewhere),
        Setting("outputDevice", \.outputDevice, place: .elsewhere),
    ]

    /// 1...100 code points, without control characters, not only spaces: fits in one line.
    public static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...100).contains(scalars.count) && scalars.contains { !$0.properties.isWhitespace }
            && !scalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Resets the settings that belong to the leader.
    mutating func followOnly() {
        for setting in Self.table where setting.sharing == .leaders { setting.set(setting.defaultValue, in: &self) }
        abLoop = nil
    }
}

/// Perceived loudness, 0...1. The amplitude is its cube: half the level is 18 dB quieter.
public enum Level {
    /// `level` is clamped to 0...1.
    public static func amplitude(_ level: Double) -> Double {
        let level = min(1, max(0, level))
        return level * level * level
    }

    /// Rounded to nine decimals, so that a level that was set as a decimal reads the same.
    public static func of(amplitude: Double) -> Double { (cbrt(amplitude) * 1e9).rounded() / 1e9 }
}
