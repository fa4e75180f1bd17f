// SPDX-License-Identifier: Apache-2.0

/// All that a user sets and that survives a restart.
public struct PlayerSettings: Hashable, Sendable {
    public enum Repeat: String, CaseIterable, Sendable { case off, one, all }
    public enum InterruptionPolicy: String, CaseIterable, Sendable {
        case auto
        case notifyOnly = "notify-only"
    }

    /// What people call the player: 1...100 characters. Empty until it was named.
    public var name = ""
    /// Id of the player that this one follows: plays what that one plays, in step. nil: goes its own way.
    public var leader: String?
    /// Amplitude 0...1.
    public var volume = 1.0
    /// The same as it is perceived (see `Level`).
    public var level: Double { Level.of(amplitude: volume) }
    public var muted = false
    /// -1 (left only) ... 1 (right only).
    public var balance = 0.0
    public var repeats = Repeat.off
    /// Plays the queue in random order, without changing the queue's own order.
    public var shuffle = false
    /// Items leave the queue once they were heard.
    public var consume = false
    /// One-shot: cleared when it has stopped.
    public var stopAfterCurrent = false
    /// Play an item as soon as it is loaded through an edit of an idle player's queue.
    public var autoPlay = false
    /// `previous` restarts the current item when it has been heard for longer than this many seconds, 0...3600;
    /// 0 always goes back.
    public var previousRestartsAfter = 3.0
    /// Id of the output device the user chose; nil follows the default.
    public var outputDevice: String?
    public var remote = RemoteSettings()
    /// What becomes of the music when headphones are lost.
    public var routePolicy = RoutePolicy.pause
    /// Whether the player falls silent when others take the sound, or only tells of it.
    public var interruptionPolicy = InterruptionPolicy.auto
    /// Music that an interruption silenced goes on by itself after it.
    public var autoResume = true
    /// A program that has not ended its interruption after this many seconds, 0...86400, has ended it; 0 waits for ever.
    public var interruptionTimeout = 0.0

    public init() {}

    /// What a name may be, so that it can be shown in one line.
    public static func isName(_ text: String) -> Bool {
        (1...100).contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}

/// New values for some settings; nil leaves a member alone. Ranges were checked by the caller that parsed it and are
/// checked again by the player (`out-of-range`).
public struct SettingsPatch: Hashable, Sendable {
    public struct VolumeRamp: Hashable, Sendable {
        /// Final volume 0...1.
        public var to: Double
        /// 0...3600.
        public var seconds: Double

        public init(to: Double, seconds: Double) {
            self.to = to
            self.seconds = seconds
        }
    }

    public var name: String?
    /// `.some(nil)`: follows nobody any more.
    public var leader: String??
    public var volume: Double?
    /// Added to the level at the moment it is applied, -1...1, so that steps of several clients add up; the sum is clamped.
    public var levelBy: Double?
    public var muted: Bool?
    public var balance: Double?
    public var repeats: PlayerSettings.Repeat?
    public var shuffle: Bool?
    public var consume: Bool?
    public var stopAfterCurrent: Bool?
    public var autoPlay: Bool?
    public var previousRestartsAfter: Double?
    public var volumeRamp: VolumeRamp?
    public var remote: RemotePatch?
    public var routePolicy: RoutePolicy?
    public var interruptionPolicy: PlayerSettings.InterruptionPolicy?
    public var autoResume: Bool?
    public var interruptionTimeout: Double?

    public init() {}
}
