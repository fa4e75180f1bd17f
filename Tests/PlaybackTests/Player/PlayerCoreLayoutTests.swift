// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

@testable import Playback

/// The stream's channels (SPEC rows 78, 260).
@Suite struct PlayerCoreLayoutTests {
    private static let wide = OutputDevice(
        id: "wide", description: "Wide", isDefault: true, channelCount: 6, layout: SimulatedWorld.surround)
    private static let narrow = OutputDevice(id: "narrow", description: "Narrow")

    private func world(_ uris: [String], at device: OutputDevice) -> SimulatedWorld {
        var world = SimulatedWorld()
        world.report([Self.wide, Self.narrow], current: device.id)
        world.add(uris, play: true)
        return world
    }

    @Test func aBorderBetweenLayouts_losesNoFrame() {
        var world = world(["a-2", "surround-2", "b-2"], at: Self.wide)
        var layouts: [ChannelLayout] = []
        world.check = { world in
            if world.status == .playing, world.sink.layout != layouts.last { layouts.append(world.sink.layout) }
        }
        #expect(world.run(upTo: 10) { $0.status == .completed })
        #expect(layouts == [.stereo, SimulatedWorld.surround, .stereo])
        let listened = world.events.compactMap { event -> Double? in
            if case .jumped(let clock, _) = event, clock.position == 2 { clock.listenedTime } else { nil }
        }
        #expect(listened.count >= 2 && listened.allSatisfy { abs($0 - 2) < 0.01 })
        #expect(world.completions == [.finished, .finished, .finished])
    }

    @Test(arguments: [["a-1", "b-1", "c-1"], ["surround-1", "surround-1"]]) func sameLayouts_shareAStream(
        uris: [String]
    ) {
        var world = world(uris, at: Self.wide)
        #expect(world.run { $0.status == .playing })
        #expect(world.sink.layout == (uris.count == 2 ? SimulatedWorld.surround : .stereo))
        let opened = world.opened
        #expect(world.run(upTo: 10) { $0.status == .completed } && world.opened == opened)
    }

    @Test func aDeviceOfTwoChannels_keepsItsStream() {
        var world = world(["a-1", "surround-1", "b-1"], at: Self.narrow)
        #expect(world.run(upTo: 10) { $0.status == .completed } && world.opened == 1 && world.sink.layout == .stereo)
    }

    @Test func anotherDevice_getsAStreamOfItsLayout() {
        var world = world(["surround-60"], at: Self.narrow)
        _ = world.run { $0.status == .playing }
        world.run(seconds: 1)
        let place = world.position
        world.report([Self.wide, Self.narrow], current: "wide")
        let plays = world.run { $0.status == .playing && $0.sink.layout == SimulatedWorld.surround }
        #expect(plays && world.position >= place && world.position < place + 0.5)
    }

    @Test func anOutputThatChoosesOtherwise_isAskedOnce() {
        var world = world([], at: Self.narrow)
        world.model.layout = .mono
        world.add(["surround-5"], play: true)
        #expect(world.run(upTo: 10) { $0.status == .completed } && world.sink.layout == .mono && world.opened == 1)
    }

    /// The machine wakes while a stream opens that has the wrong layout.
    @Test func aStreamThatIsReplacedWhileItOpens_isReplacedOnce() throws {
        var world = world(["surround-60"], at: Self.wide)
        world.endInterruption(.sleep)
        let item = try #require(world.core.current?.generation)
        world.send(.decoding(item, .opened(world.description(.surround(seconds: 60)))))
        #expect(world.run { $0.status == .playing } && world.sink.layout == SimulatedWorld.surround)
        #expect(world.core.routing.replacing == nil)
    }

    @Test func paused_theStreamOfTheOtherLayoutIsGivenBack() {
        var world = world(["a-60", "surround-60"], at: Self.wide)
        _ = world.run { $0.status == .playing }
        world.command(.pause)
        world.run(seconds: 1)
        world.command(.next)
        world.run(seconds: 1)
        #expect(world.status == .ready)
        world.command(.play(.current))
        #expect(world.run { $0.status == .playing } && world.sink.layout == SimulatedWorld.surround)
    }
}
