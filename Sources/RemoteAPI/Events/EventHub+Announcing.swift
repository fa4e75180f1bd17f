// SPDX-License-Identifier: Apache-2.0

import Announcing

extension EventHub {
    /// Called from the announcer's thread; told from the player's, as all that is recorded is.
    func receive(_ change: AnnouncementChange) {
        _ = player.giveSign { [self] in
            record(.announcement, at: clock.wallMilliseconds, version: player.snapshot.version) { writer in
                writer.members(of: change)
            }
        }
    }
}
