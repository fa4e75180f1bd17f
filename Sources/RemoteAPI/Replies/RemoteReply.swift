// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// `mpris`, `nowPlaying` and `remoteCommands` of the settings.
    mutating func members(of remote: RemoteSettings) {
        member("mpris", remote.mpris)
        member("nowPlaying") { writer in
            writer.member("enabled", remote.showsMetadata)
            writer.member("preferTags", remote.prefersTags)
        }
        member("remoteCommands") { writer in
            writer.member("enabled", remote.commands.enabled)
            writer.member("play", remote.commands.play)
            writer.member("pause", remote.commands.pause)
            writer.member("next", remote.commands.next)
            writer.member("previous", remote.commands.previous)
            writer.member("seek", remote.commands.seek)
            writer.member("skip", remote.commands.skip)
            writer.member("skipInterval", remote.commands.skipInterval)
        }
    }
}
