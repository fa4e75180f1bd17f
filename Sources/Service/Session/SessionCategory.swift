// SPDX-License-Identifier: Apache-2.0

/// The present purpose of this machine's sound.
public enum SessionCategory: String, CaseIterable, Codable, Sendable {
    /// Background: mixes with other programs, follows the silent switch and the lock.
    case ambient
    /// As `ambient`, but exclusive.
    case soloAmbient = "solo-ambient"
    /// Music: exclusive, regardless of switch and lock.
    case playback
    /// Recording only.
    case record
    case playAndRecord = "play-and-record"
    /// Several outputs at once, for example a DJ's main and cue.
    case multiRoute = "multi-route"
    /// No device at all: offline rendering.
    case audioProcessing = "audio-processing"

    public var playsSound: Bool { self != .record && self != .audioProcessing }
    public var records: Bool { self == .record || self == .playAndRecord }

    /// Other programs are silent while it is active, unless an option changes that.
    public var isExclusive: Bool { self != .ambient && self != .audioProcessing }

    public var followsSilentSwitch: Bool { self == .ambient || self == .soloAmbient }
    public var followsLock: Bool { followsSilentSwitch }
}

public enum SessionOption: String, CaseIterable, Codable, Sendable {
    case mixWithOthers = "mix-with-others"
    /// Other programs play at a tenth of their amplitude while it is active.
    case duckOthers = "duck-others"
    /// Other programs' speech is silent, their music plays on.
    case interruptSpokenAudioAndMix = "interrupt-spoken-audio-and-mix"
    case allowBluetooth = "allow-bluetooth"
    case allowBluetoothA2DP = "allow-bluetooth-a2dp"
    case allowAirPlay = "allow-airplay"
    /// Prefers a speaker to a headset.
    case defaultToSpeaker = "default-to-speaker"

    /// Categories that accept it. Categories that only play allow Bluetooth and AirPlay anyway.
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

    /// Options implied by the mode.
    public var options: Set<SessionOption> {
        switch self {
        case .voiceChat: [.allowBluetooth]
        case .videoChat: [.allowBluetooth, .defaultToSpeaker]
        case .default, .gameChat, .moviePlayback, .videoRecording, .measurement: []
        }
    }

    /// PulseAudio's `media.role` of the music.
    public var role: String {
        switch self {
        case .default, .measurement, .videoRecording: "music"
        case .voiceChat, .videoChat: "phone"
        case .gameChat: "game"
        case .moviePlayback: "video"
        }
    }
}
