// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// The loudness that accompanies the frames of a track (SPEC 276).
@Suite struct PlayerCoreLoudnessTests {
    @Test func isThatOfTheTagsElseAsMeasured_andKnowsTheAlbum() throws {
        var world = SimulatedWorld()
        let drafts = [("a-60", "One"), ("b-60", "One"), ("c-60", "Two")].map { ItemDraft(uri: $0, album: $1) }
        world.command(.edit(.insert(drafts, at: .end), play: true))
        world.run(seconds: 1)
        let first = try #require(world.core.current)
        #expect(world.core.loudness(of: first.generation).track == nil)
        #expect(world.core.loudness(of: first.generation).isInAlbum)
        world.core.loaded.current?.media?.companions.loudness = TrackLoudness(trackGain: 3)
        #expect(world.core.loudness(of: first.generation).track == TrackLoudness(trackGain: 3))
        world.core.loaded.current?.media?.tags.replayGain.trackGain = -6.5
        world.core.loaded.current?.media?.tags.replayGain.trackPeak = 0.9
        let (track, isInAlbum) = world.core.loudness(of: first.generation)
        #expect(track == TrackLoudness(trackGain: -6.5, trackPeak: 0.9) && isInAlbum)
        world.core.settings.shuffle = true
        #expect(!world.core.loudness(of: first.generation).isInAlbum)
        world.core.settings.shuffle = false
        world.command(.play(.index(2)))
        world.run(seconds: 1)
        let last = try #require(world.core.current)
        #expect(!world.core.loudness(of: last.generation).isInAlbum)
        #expect(world.core.loudness(of: first.generation).track == nil)
    }

    /// The library knows the album of a neighbour that is not opened yet.
    @Test(arguments: [("b-60", nil, true), ("b-60", "Two", false), ("elsewhere-60", nil, false)])
    func neighboursAreKnownBeforeTheyAreOpened(uri: String, album: String?, isInAlbum: Bool) throws {
        var world = SimulatedWorld()
        let drafts = [ItemDraft(uri: "a-60", album: "One"), ItemDraft(uri: uri, album: album)]
        world.command(.edit(.insert(drafts, at: .end), play: true))
        world.run(seconds: 1)
        world.core.loaded.current?.media?.companions.albumFiles = ["a-60", "b-60"]
        #expect(world.core.loudness(of: try #require(world.core.current).generation).isInAlbum == isInAlbum)
    }

    /// Without a library, the folder decides until the neighbour is opened.
    @Test(
        arguments: [
            ("rock/b-60", -4, true), ("pop/b-60", -4, false), ("rock/live/b-60", -4, false), ("rock/b-60", nil, false),
        ] as [(String, Double?, Bool)])
    func aNeighbourInTheFolder_isOfTheAlbum_whileNothingIsKnownOfIt(uri: String, albumGain: Double?, isInAlbum: Bool)
        throws
    {
        var world = SimulatedWorld()
        let drafts = ["rock/a-60", uri].map { ItemDraft(uri: $0) }
        world.command(.edit(.insert(drafts, at: .end), play: true))
        world.run(seconds: 1)
        world.core.loaded.current?.media?.tags.album = "One"
        world.core.loaded.current?.media?.tags.replayGain.albumGain = albumGain
        let first = try #require(world.core.current).generation
        #expect(world.core.loudness(of: first).isInAlbum == isInAlbum)
        // The library knows the album's files, and the neighbour is not one of them.
        world.core.loaded.current?.media?.companions.albumFiles = ["rock/a-60"]
        #expect(!world.core.loudness(of: first).isInAlbum)
    }
}
