// SPDX-License-Identifier: Apache-2.0

import Playback

/// `PlaybackStatus`. Only audible sound is `Playing`. Waiting for bytes, a device or another program is `Paused`, so that the
/// client's clock stops together with the music.
enum ShownStatus: String {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"

    init(_ snapshot: PlayerSnapshot) {
        switch snapshot.status {
        case .playing: self = .playing
        case .paused, .ready, .loading, .buffering, .seeking, .interrupted: self = .paused
        case .stopping: self = snapshot.clock.rate != 0 ? .playing : .stopped
        case .idle, .stopped, .completed, .failed: self = .stopped
        }
    }
}

/// The properties of org.mpris.MediaPlayer2.Player except `Position`, which follows from the clock.
enum PlayerProperties {
    static func of(_ snapshot: PlayerSnapshot, status: ShownStatus, artwork: String?) -> [String: BusValue] {
        let settings = snapshot.settings
        let offer = CommandOffer(snapshot)
        let rate = shownRate(snapshot)
        return [
            "PlaybackStatus": .text(status.rawValue),
            "LoopStatus": .text(LoopStatus.text(settings.repeats)),
            "Rate": .double(rate),
            "MinimumRate": .double(min(PlayerSettings.playbackRates.lowerBound, rate)),
            "MaximumRate": .double(max(PlayerSettings.playbackRates.upperBound, rate)),
            "Shuffle": .flag(settings.shuffle),
            "Volume": .double(settings.muted ? 0 : settings.level),
            "Metadata": .dictionary(metadata(snapshot, artwork)),
            "CanPlay": .flag(offer.play), "CanPause": .flag(offer.pause), "CanSeek": .flag(offer.seek),
            "CanGoNext": .flag(offer.next), "CanGoPrevious": .flag(offer.previous),
            "CanControl": .flag(offer.control),
        ]
    }

    private static func metadata(_ snapshot: PlayerSnapshot, _ artwork: String?) -> [String: BusValue] {
        let remote = snapshot.settings.remote
        guard remote.showsMetadata, let current = snapshot.item else { return [:] }
        return TrackMetadata.of(
            current.item, media: current.media, duration: current.duration ?? snapshot.clock.duration,
            artwork: artwork, prefersTags: remote.prefersTags)
    }

    /// The specification forbids 0; the status shows that the clock stands. During a scan, this is the scan's rate.
    private static func shownRate(_ snapshot: PlayerSnapshot) -> Double {
        snapshot.clock.rate != 0 ? snapshot.clock.rate : snapshot.tempo.rate
    }
}

/// `LoopStatus`: other names for `repeat`.
enum LoopStatus {
    static func text(_ mode: PlayerSettings.Repeat) -> String {
        switch mode {
        case .off: "None"
        case .one: "Track"
        case .all: "Playlist"
        }
    }

    static func mode(_ text: String) -> PlayerSettings.Repeat? {
        PlayerSettings.Repeat.allCases.first { self.text($0) == text }
    }
}

/// The commands that are enabled and possible at present.
struct CommandOffer: Equatable {
    var control: Bool
    var play: Bool
    var pause: Bool
    var next: Bool
    var previous: Bool
    var seek: Bool

    init(_ snapshot: PlayerSnapshot) {
        let commands = snapshot.settings.remote.commands
        let isOn = commands.enabled
        let hasItem = snapshot.item != nil
        let isSeekable = snapshot.item?.media?.isSeekable == true
        control = isOn
        play = isOn && commands.play && snapshot.queueLength > 0
        pause = isOn && commands.pause && hasItem
        seek = isOn && commands.seek && isSeekable
        next = isOn && commands.next && (commands.skip ? isSeekable : Self.hasNext(snapshot))
        previous = isOn && commands.previous && (commands.skip ? isSeekable : hasItem)
    }

    /// With shuffle only the player knows the next item, so any other item suffices.
    private static func hasNext(_ snapshot: PlayerSnapshot) -> Bool {
        guard snapshot.queueLength > 0 else { return false }
        guard let item = snapshot.item else { return true }
        if snapshot.settings.repeats == .all { return true }
        if snapshot.settings.shuffle { return snapshot.queueLength > 1 }
        return item.index + 1 < snapshot.queueLength
    }
}
