// SPDX-License-Identifier: Apache-2.0

import Playback

/// `mpris`, `nowPlaying` and `remoteCommands` of `PATCH /player`: what surfaces beside the API may show and do.
enum RemoteRequest {
    /// nil when none of the three is there.
    static func patch(_ object: StrictObject) throws(Problem) -> RemotePatch? {
        var patch = RemotePatch()
        patch.mpris = try object.flag("mpris")
        if let shown = try object.nested(NowPlaying.self, "nowPlaying") {
            patch.showsMetadata = shown.enabled
            patch.prefersTags = shown.preferTags
        }
        if let commands = try object.nested(Commands.self, "remoteCommands") { commands.fill(&patch) }
        return patch == RemotePatch() ? nil : patch
    }

    private struct NowPlaying: JSONReadable {
        var enabled: Bool?
        var preferTags: Bool?

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(json, ["enabled", "preferTags"])
            enabled = try object.flag("enabled")
            preferTags = try object.flag("preferTags")
        }
    }

    private struct Commands: JSONReadable {
        private var patch = RemotePatch()

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(
                json, ["enabled", "play", "pause", "next", "previous", "seek", "skip", "skipInterval"])
            patch.enabled = try object.flag("enabled")
            patch.play = try object.flag("play")
            patch.pause = try object.flag("pause")
            patch.next = try object.flag("next")
            patch.previous = try object.flag("previous")
            patch.seek = try object.flag("seek")
            patch.skip = try object.flag("skip")
            guard object.contains("skipInterval") else { return }
            patch.skipInterval = .some(try object.number("skipInterval", in: RemotePatch.intervals))
        }

        func fill(_ other: inout RemotePatch) {
            other.enabled = patch.enabled
            other.play = patch.play
            other.pause = patch.pause
            other.next = patch.next
            other.previous = patch.previous
            other.seek = patch.seek
            other.skip = patch.skip
            other.skipInterval = patch.skipInterval
        }
    }
}
