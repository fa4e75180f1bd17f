// SPDX-License-Identifier: Apache-2.0

import Playback

/// What has become of a player, as every channel tells it.
enum PlayerChange: String {
    case added, removed
    /// It has another name.
    case changed
}

extension EventHub {
    /// Told from the player's thread, as all that is recorded; when that is down there is nobody left to tell. `last`: the
    /// player is this one, and nothing is told after it.
    func tell(_ change: PlayerChange, _ path: PlayerPath, name: String, last: Bool = false) {
        let isUp = player.giveSign { [self] in
            record(.players, at: clock.wallMilliseconds, version: player.snapshot.version) { writer in
                writer.member("change", change.rawValue)
                writer.member("id", path.id)
                writer.member("name", name)
            }
            if last { retire(Self.removed) }
        }
        if last, !isUp { retire(Self.removed) }
    }

    /// The group has changed, which is no change of the player's own settings.
    func reportSettings() {
        _ = player.giveSign { [self] in
            let snapshot = player.snapshot
            record(.settings, at: clock.wallMilliseconds, version: snapshot.version) {
                $0.settingsMembers(of: snapshot.settings, followers: encoder.followers.ids)
            }
        }
    }

    private static let removed = "The player was removed."
}
