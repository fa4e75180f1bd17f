// SPDX-License-Identifier: Apache-2.0

/// What this machine is for at present, in terms of sound.
public enum SessionCategory: String, CaseIterable, Codable, Sendable {
    /// Background: mixes with others, obeys the silent switch and the lock.
    case ambient
    /// As `ambient`, but alone.
    case soloAmbient = "solo-ambient"
    /// Music: alone, whatever the switch and the lock are set to.
    case playback
    /// Only records.
    case record
    case playAndRecord = "play-and-record"
    /// Several outputs at once, as a DJ's main and cue.
    case multiRoute = "multi-route"
    /// No device at all: offline rendering.
    case audioProcessing = "audio-processing"

    public var playsSound: Bool {
        switch self {
        case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
        case .record, .audioProcessing: false
        }
    }

    public var records: Bool { self == .record || self == .playAndRecord }

    /// Unless an option differs, other applications fall silent while it is active.
    public var isExclusive: Bool {
        switch self {
        case .soloAmbient, .playback, .record, .multiRoute, .playAndRecord: true
        case .ambient, .audioProcessing: false
        }
    }

    public var obeysSilentSwitch: Bool { self == .ambient || self == .soloAmbient }
    public var obeysLock: Bool { obeysSilentSwitch }
}

public enum SessionOption: String, CaseIterable, Codable, Sendable {
    case mixWithOthers = "mix-with-others"
    /// Others play at a tenth of their amplitude while it is active.
    case duckOthers = "duck-others"
    /// Speech of others falls silent, their music goes on.
    case interruptSpokenAudioAndMix = "interrupt-spoken-audio-and-mix"
    case allowBluetooth = "allow-bluetooth"
    case allowBluetoothA2DP = "allow-bluetooth-a2dp"
    case allowAirPlay = "allow-airplay"
    /// A speaker rather than a headset.
    case defaultToSpeaker = "default-to-speaker"

    /// Categories that know it. Those that only play allow Bluetooth and AirPlay as they are.
    public var categories: Set<SessionCategory> {
        switch self {
        case .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMix: [.playback, .playAndRecord, .multiRoute]
        case .allowBluetooth: [.record, .playAndRecord]
        case .allowBluetoothA2DP, .allowAirPlay, .defaultToSpeaker: [.playAndRecord]
        }
    }
}

public enum SessionMode: String, CaseIterable, Codable, Sendable {
    case `default`
    case voiceChat = "voice-chat"
    case videoChat = "video-chat"
    case gameChat = "game-chat"
    case moviePlayback = "movie-playback"
    case videoRecording = "video-recording"
    /// As little processing as possible: full volume, no balance.
    case measurement

    public var categories: Set<SessionCategory> {
        switch self {
        case .default: Set(SessionCategory.allCases)
        case .voiceChat, .videoChat, .gameChat: [.playAndRecord]
        case .moviePlayback: [.playback]
        case .videoRecording: [.record, .playAndRecord]
        case .measurement: [.playback, .record, .playAndRecord]
        }
    }

    /// Options that come with it.
    public var options: Set<SessionOption> {
        switch self {
        case .voiceChat: [.allowBluetooth]
        case .videoChat: [.allowBluetooth, .defaultToSpeaker]
        case .default, .gameChat, .moviePlayback, .videoRecording, .measurement: []
        }
    }

    /// `media.role` of what is played, as PulseAudio names roles.
    public var role: String {
        switch self {
        case .default, .measurement, .videoRecording: "music"
        case .voiceChat, .videoChat: "phone"
        case .gameChat: "game"
        case .moviePlayback: "video"
        }
    }
}
