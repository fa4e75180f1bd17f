// SPDX-License-Identifier: Apache-2.0

/// What a player that follows another leaves to its leader.
extension PlayerCore {
    /// nil when the command is not the leader's matter, or there is no leader.
    func refusalOfFollower(_ command: PlayerCommand) -> PlaybackError? {
        guard let leader = settings.leader, command.isLeaders else { return nil }
        return PlaybackError(
            .following, "This player follows \(leader): ask that one, or set leader to null.")
    }
}

extension PlayerCommand {
    fileprivate var isLeaders: Bool {
        switch self {
        case .play, .pause, .pauseWithLeader, .toggle, .stop, .next, .previous, .seek, .scan, .endScan, .edit, .shift:
            true
        case .apply(let patch): patch.leader == nil && patch.isLeaders
        case .selectOutput, .interruption, .obey: false
        }
    }
}

extension SettingsPatch {
    fileprivate var isLeaders: Bool {
        repeats != nil || shuffle != nil || consume != nil || stopAfterCurrent != nil
    }
}

extension PlayerSettings {
    /// The order is the leader's.
    mutating func followOnly() {
        repeats = .off
        shuffle = false
        consume = false
        stopAfterCurrent = false
    }
}
