// SPDX-License-Identifier: Apache-2.0

import Playback

/// `PlaybackStatus`: only what is heard is `Playing`. Whatever waits for bytes, a device or another program's end is
/// `Paused`, so that a client's clock stands still as the music does.
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

/// The properties of org.mpris.MediaPlayer2.Player but for `Position`, which follows from the clock.
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

    /// 0 is not allowed by the specification; a clock that stands is visible in the status. While scanning it is the scan's.
    private static func shownRate(_ snapshot: PlayerSnapshot) -> Double {
        snapshot.clock.rate != 0 ? snapshot.clock.rate : snapshot.tempo.rate
    }
}

/// `LoopStatus` is `repeat` under other names.
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

/// What may be asked for at present: switched on, and possible.
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

    /// Under shuffle only the player knows; it is offered whenever there is another item.
    private static func hasNext(_ snapshot: PlayerSnapshot) -> Bool {
        guard snapshot.queueLength > 0 else { return false }
        guard let item = snapshot.item else { return true }
        if snapshot.settings.repeats == .all { return true }
        if snapshot.settings.shuffle { return snapshot.queueLength > 1 }
        return item.index + 1 < snapshot.queueLength
    }
}
