// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

extension SimulatedWorld {
    /// With these items in the queue; `play`: they were asked to play at once.
    static func with(_ uris: [String], play: Bool) -> SimulatedWorld {
        var world = SimulatedWorld()
        world.command(.edit(.insert(uris.map { ItemDraft(uri: $0) }, at: .end), expected: nil, play: play))
        return world
    }

    /// The first of these items sounds.
    static func playing(_ uris: [String]) -> SimulatedWorld {
        var world = with(uris, play: true)
        #expect(world.run { $0.status == .playing })
        return world
    }
}
