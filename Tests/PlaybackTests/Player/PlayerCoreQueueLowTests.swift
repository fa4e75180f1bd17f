// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// `queue-low`: reported in time, once, and only if nothing follows (SPEC rows 156, 271).
@Suite struct PlayerCoreQueueLowTests {
    private func reported(_ world: SimulatedWorld) -> [QueueLow] {
        world.events.compactMap { if case .queueLow(let low) = $0 { low } else { nil } }
    }

    @Test func isReportedOnce_beforeTheEndOfTheLastItem() throws {
        var world = SimulatedWorld.playing(["a-5", "b-60"])
        world.run(seconds: 44)
        #expect(reported(world) == [])
        world.run(seconds: 2)
        let low = try #require(reported(world).first)
        #expect(low.reason == .ending && low.itemID == world.core.current?.item.id)
        #expect(abs(try #require(low.remaining) - 20) < 1.1)
        world.command(.pause)
        world.run(seconds: 1)
        world.command(.play(.current))
        world.run(seconds: 30)
        #expect(world.status == .completed && reported(world).count == 1)
    }

    @Test func isReportedAtTheStart_ofAShortItem() throws {
        var world = SimulatedWorld.playing(["a-3"])
        #expect(reported(world).count == 1)
        // And again for an item that is added.
        world.add(["b-30"])
        world.run(seconds: 5)
        #expect(world.status == .playing && world.core.current?.item.uri == "b-30" && reported(world).count == 1)
        world.run(seconds: 10)
        #expect(reported(world).map(\.itemID).last == world.core.current?.item.id && reported(world).count == 2)
    }

    @Test func isNotReported_whenAnItemFollows_orTheEndIsWanted() {
        for patch in [
            SettingsPatch.with { $0.repeats = .all }, .with { $0.repeats = .one }, .with { $0.stopAfterCurrent = true },
        ] {
            var world = SimulatedWorld()
            world.command(.apply(patch))
            world.add(["a-3"], play: true)
            world.run(seconds: 2)
            #expect(world.status == .playing && reported(world) == [])
        }
    }

    @Test func isReportedAgain_whenTheAddedItemIsRemoved() throws {
        var world = SimulatedWorld.playing(["a-19"])
        world.add(["b-30"])
        world.command(.edit(.undo))
        world.run(seconds: 1)
        #expect(reported(world).count == 2)
    }

    @Test func next_isAskedFor_whereThereIsNone() throws {
        var world = SimulatedWorld.playing(["a-60"])
        world.command(.next)
        #expect(reported(world).map(\.reason) == [.next] && reported(world)[0].itemID == world.core.current?.item.id)
        #expect(world.status == .playing)
        var empty = SimulatedWorld()
        empty.command(.next)
        #expect(reported(empty) == [QueueLow(reason: .next, itemID: nil, remaining: nil)])
    }
}

extension SettingsPatch {
    static func with(_ change: (inout SettingsPatch) -> Void) -> SettingsPatch {
        var patch = SettingsPatch()
        change(&patch)
        return patch
    }
}
