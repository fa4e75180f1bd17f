// SPDX-License-Identifier: Apache-2.0

import Playback
internal import Service

/// org.mpris.MediaPlayer2.Player: methods, and the properties that can be set.
extension MediaPlayerObject {
    func playerCall(_ member: String, _ arguments: [BusValue]) -> Answer {
        let snapshot = player.snapshot
        let offer = CommandOffer(snapshot)
        switch member {
        case "Play": return offer.play ? .command(.play(.current, position: nil)) : .nothing
        case "Pause": return offer.pause ? .command(.pause) : .nothing
        // Depends on the user's goal, not on the status: pressed while buffering, it pauses.
        case "PlayPause": return (snapshot.playWhenReady ? offer.pause : offer.play) ? .command(.toggle) : .nothing
        case "Stop": return offer.control ? .command(.stop(drain: false)) : .nothing
        case "Next": return offer.next ? .command(skip(1, snapshot) ?? .next) : .nothing
        case "Previous": return offer.previous ? .command(skip(-1, snapshot) ?? .previous) : .nothing
        case "Seek":
            guard offer.seek, case .int64(let offset)? = arguments.first else { return .nothing }
            return .command(.seek(.offset(Double(offset) / 1e6)))
        case "SetPosition": return setPosition(arguments, snapshot, offer)
        case "OpenUri":
            guard case .text(let uri)? = arguments.first else { return .failure(.invalid("An address is needed.")) }
            guard offer.control else { return .nothing }
            return open(uri, at: .next, play: true)
        default: return .failure(.unknownMethod(InterfaceName.player, member))
        }
    }

    /// nil if next and previous change the item.
    private func skip(_ direction: Double, _ snapshot: PlayerSnapshot) -> PlayerCommand? {
        let commands = snapshot.settings.remote.commands
        guard commands.skip, let interval = commands.skipInterval else { return nil }
        return .seek(.offset(direction * interval))
    }

    /// Ignores another track's id and positions outside this track: the client does not know of a change yet.
    private func setPosition(_ arguments: [BusValue], _ snapshot: PlayerSnapshot, _ offer: CommandOffer) -> Answer {
        guard offer.seek, let item = snapshot.item, arguments.count == 2, case .path(let path) = arguments[0],
            case .int64(let microseconds) = arguments[1], TrackPath.item(path) == item.item.id
        else { return .nothing }
        let position = Double(microseconds) / 1e6
        guard position >= 0, position <= item.duration ?? .infinity else { return .nothing }
        return .command(.seek(.position(position)))
    }

    func open(_ uri: String, at place: InsertionPoint, play: Bool, expected: QueueRevision? = nil) -> Answer {
        guard !uri.isEmpty, uri.utf8.count <= 4096 else {
            return .failure(.invalid("An address of 1 to 4096 bytes is needed."))
        }
        return .addition(Addition([.uri(uri)], .insert(place), plays: play, expected: expected))
    }

    func set(_ interface: String, _ name: String, _ value: BusValue) -> Answer {
        guard interface == InterfaceName.player, CommandOffer(player.snapshot).control else {
            return .failure(.readOnly(name))
        }
        var patch = SettingsPatch()
        switch (name, value) {
        case ("Volume", .double(let level)) where level.isFinite:
            patch.volume = Level.amplitude(level)
            // A muted player's volume is 0 on MPRIS: raising it unmutes.
            if level > 0, player.snapshot.settings.muted { patch.muted = false }
        case ("Shuffle", .flag(let shuffle)): patch.shuffle = shuffle
        case ("LoopStatus", .text(let text)):
            guard let mode = LoopStatus.mode(text) else {
                return .failure(.invalid("LoopStatus is None, Track or Playlist."))
            }
            patch.repeats = mode
        // Equivalent to Pause (specification, property Rate).
        case ("Rate", .double(0)): return playerCall("Pause", [])
        case ("Rate", .double(let rate)) where PlayerSettings.playbackRates.contains(rate): patch.playbackRate = rate
        case ("Rate", .double), ("Volume", .double):
            return .failure(.invalid("\(name) is out of range."))
        case ("Volume", _), ("Rate", _), ("Shuffle", _), ("LoopStatus", _):
            return .failure(.invalid("\(name) must not have the type \(value.signature)."))
        default: return .failure(.readOnly(name))
        }
        return .command(.apply(patch))
    }
}
