// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// `queue-low`: told in time, once, and only when nothing follows (SPEC rows 156, 271).
@Suite struct PlayerCoreQueueLowTests {
    private func told(_ world: SimulatedWorld) -> [QueueLow] {
        world.events.compactMap { if case .queueLow(let low) = $0 { low } else { nil } }
    }

    @Test func isToldOnce_beforeTheEndOfTheLastItem() throws {
        var world = SimulatedWorld.playing(["a-5", "b-60"])
        world.run(seconds: 44)
        #expect(told(world) == [])
        world.run(seconds: 2)
        let low = try #require(told(world).first)
        #expect(low.reason == .ending && low.itemID == world.core.current?.item.id)
        #expect(abs(try #require(low.remaining) - 20) < 1.1)
        world.command(.pause)
        world.run(seconds: 1)
        world.command(.play(.current, position: nil))
        world.run(seconds: 30)
        #expect(world.status == .completed && told(world).count == 1)
    }

    @Test func isToldAtTheBeginning_ofAShortItem() throws {
        var world = SimulatedWorld.playing(["a-3"])
        #expect(told(world).count == 1)
        // And again of the one that is added on it.
        world.command(.edit(.insert([ItemDraft(uri: "b-30")], at: .end), expected: nil, play: false))
        world.run(seconds: 5)
        #expect(world.status == .playing && world.core.current?.item.uri == "b-30" && told(world).count == 1)
        world.run(seconds: 10)
        #expect(told(world).map(\.itemID).last == world.core.current?.item.id && told(world).count == 2)
    }

    @Test func isNotTold_whereSomethingFollows_orTheEndIsWanted() {
        for patch in [
            SettingsPatch.with { $0.repeats = .all }, .with { $0.repeats = .one }, .with { $0.stopAfterCurrent = true },
        ] {
            var world = SimulatedWorld()
            world.command(.apply(patch))
            world.command(.edit(.insert([ItemDraft(uri: "a-3")], at: .end), expected: nil, play: true))
            world.run(seconds: 2)
            #expect(world.status == .playing && told(world) == [])
        }
    }

    @Test func isToldAgain_whenWhatWasAddedIsTakenOut() throws {
        var world = SimulatedWorld.playing(["a-19"])
        world.command(.edit(.insert([ItemDraft(uri: "b-30")], at: .end), expected: nil, play: false))
        world.command(.edit(.undo, expected: nil, play: false))
        world.run(seconds: 1)
        #expect(told(world).count == 2)
    }

    @Test func next_isAskedFor_whereThereIsNone() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.next)
        #expect(told(world).map(\.reason) == [.next] && told(world)[0].itemID == world.core.current?.item.id)
        #expect(world.status == .playing)
        var empty = SimulatedWorld()
        empty.command(.next)
        #expect(told(empty) == [QueueLow(reason: .next, itemID: nil, remaining: nil)])
    }
}

extension SettingsPatch {
    static func with(_ change: (inout SettingsPatch) -> Void) -> SettingsPatch {
        var patch = SettingsPatch()
        change(&patch)
        return patch
    }
}
