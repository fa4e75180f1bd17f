// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Testing

@testable import Playback

/// Random commands in a random world; invariants are checked after every input. `TONEARM_SEEDS` sets the number of
/// worlds.
@Suite struct PlayerCoreInvariantTests {
    private final class Ledger {
        var completions = 0
        var isOver = false
        var seenEvents = 0
        var last: (clock: PositionClock, item: ItemID?)?
        var violations: [String] = []
        var version: UInt64 = 0
        var output: OutputStatus?
    }

    private static let seeds = ProcessInfo.processInfo.environment["TONEARM_SEEDS"].flatMap(UInt64.init) ?? 4

    @Test(arguments: 1...seeds)
    func invariantsHold_under10000RandomCommands(seed: UInt64) {
        let ledger = Ledger()
        var world = SimulatedWorld(seed: seed)
        world.check = { Self.check(&$0, ledger) }
        var random = SeededGenerator(seed: seed &* 977)
        for _ in 0..<10_000 {
            Self.disturb(&world, &random)
            world.run(seconds: Double.random(in: 0...0.05, using: &random))
            if ledger.violations.count > 3 { break }
        }
        #expect(ledger.violations == [])
        #expect(world.lateOrDoubleReplies == 0)
        #expect(world.mostSpins < 30)

        // Left alone, the player rests or plays.
        world.isAvailable = true
        world.sink.isFrozen = false
        if world.core.isHeldBack { world.command(.play(.current)) }
        world.send(.output(.availability(.available)))
        world.run(seconds: 45)
        let resting: Set<PlayerStatus> = [.idle, .ready, .playing, .paused, .stopped, .completed, .failed]
        // Between two items the player loads for a moment. An announcement that nobody ends goes on.
        #expect(
            world.run(upTo: 1) { resting.contains($0.status) || $0.core.interruptions.isActive },
            "\(world.status) \(world.core.goal) \(world.core.stream)")
        #expect(world.replies.count == world.asked.count)
        #expect(ledger.violations == [])
    }

    private static func check(_ world: inout SimulatedWorld, _ ledger: Ledger) {
        func note(_ text: String) { ledger.violations.append("\(world.now.nanoseconds / 1_000_000) ms: \(text)") }
        let snapshot = world.core.snapshot()
        let isDraining = if case .stop(.drain) = world.core.goal { true } else { false }
        if !isDraining, (snapshot.status == .playing) != (snapshot.clock.rate != 0) {
            note("rate \(snapshot.clock.rate) in \(snapshot.status)")
        }
        if snapshot.status == .seeking, !world.core.goal.wantsSound, world.core.current?.isOpening != true {
            note("seeking, but nothing is under way")
        }
        if world.core.isHeldBack, world.sink.isStarted {
            note("sound while others have it: \(snapshot.status) \(world.core.stream)")
        }
        if snapshot.status == .interrupted, snapshot.reason == .interruption, !world.core.interruptions.isActive {
            note("interrupted by nobody")
        }
        if !snapshot.clock.position.isFinite || snapshot.clock.position < 0 {
            note("position \(snapshot.clock.position)")
        }
        if snapshot.version < ledger.version { note("version fell") }
        ledger.version = snapshot.version
        let position = snapshot.clock.position(at: world.now)
        if let last = ledger.last, last.clock.discontinuity == snapshot.clock.discontinuity,
            last.item == snapshot.item?.item.id, snapshot.status == .playing,
            world.core.stream.timeline.place?.segment.pace.isPlayed == true,
            position < last.clock.position(at: world.now)
        {
            note("position fell from \(last.clock.position(at: world.now)) to \(position)")
        }
        ledger.last = (snapshot.clock, snapshot.item?.item.id)
        for event in world.events[ledger.seenEvents...] {
            switch event {
            case .completed(let id, _):
                ledger.completions += 1
                if ledger.isOver { note("\(id) completed, but nothing had begun since the last one") }
                if ledger.completions > world.loads { note("more items completed than loaded") }
                ledger.isOver = true
            case .item: ledger.isOver = false
            case .output(let output):
                if output == ledger.output { note("an output event without a change") }
                ledger.output = output
            default: break
            }
        }
        ledger.seenEvents = world.events.count
    }

    private static func disturb(_ world: inout SimulatedWorld, _ random: inout SeededGenerator) {
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: world.command(.play(.current))
        case 12..<20: world.command(.pause)
        case 20..<26: world.command(.toggle)
        case 26..<29: world.command(.stop(drain: chance(2)))
        case 29..<37: world.command(.next)
        case 37..<43: world.command(.previous)
        case 43..<55: world.command(.seek(.position(Double.random(in: 0...4, using: &random))))
        case 55..<58: world.command(.seek(.progress(Double.random(in: 0...1, using: &random))))
        case 58..<60: world.command(.seek(.offset(Double.random(in: -3...6, using: &random))))
        case 60..<62: world.command(.scan(rate: [-8, -2, 2, 16].randomElement(using: &random) ?? 2))
        case 62..<64: world.command(.endScan)
        case 64..<75: world.command(.edit(randomEdit(world, &random), play: chance(3)))
        case 75..<82:
            if world.core.queue.count > 0 {
                world.command(
                    .play(
                        .index(Int.random(in: 0..<world.core.queue.count, using: &random)),
                        position: chance(3) ? 1 : nil))
            }
        case 82..<88: world.command(.apply(randomPatch(&random)))
        case 88..<90: world.loseSink()
        case 90..<92:
            world.isAvailable.toggle()
            if !world.isAvailable { world.loseSink() }
            world.send(.output(.availability(world.isAvailable ? .available : .unavailable("away"))))
        case 92..<93:
            if let generation = world.sink.generation { world.send(.output(.suspended(generation, chance(2)))) }
        case 93..<94: world.sink.isFrozen.toggle()
        case 94..<96: interrupt(&world, &random)
        case 96..<98: plug(&world, &random)
        default: world.run(seconds: Double.random(in: 0...2, using: &random))
        }
    }

    private static func interrupt(_ world: inout SimulatedWorld, _ random: inout SeededGenerator) {
        let begins = Bool.random(using: &random)
        if Bool.random(using: &random), let generation = world.sink.generation {
            world.send(.output(.corkRequested(generation, begins)))
        } else {
            let source =
                [InterruptionSource.client, .sleep, .lock, .announcement].randomElement(using: &random) ?? .client
            world.command(
                .interruption(
                    InterruptionNotice(isBeginning: begins, source: source, shouldResume: Bool.random(using: &random))))
        }
    }

    /// Headphones and a desk device come and go; the stream may have to be replaced, or ends with its device.
    private static func plug(_ world: inout SimulatedWorld, _ random: inout SeededGenerator) {
        var devices = [OutputDevice(id: "speakers", description: "", isDefault: true)]
        if Bool.random(using: &random) {
            devices.append(OutputDevice(id: "head", description: "", formFactor: "headphone"))
        }
        if Bool.random(using: &random) { devices.append(OutputDevice(id: "desk", description: "")) }
        let current = devices.randomElement(using: &random)?.id
        if let generation = world.sink.generation {
            if Int.random(in: 0..<3, using: &random) == 0 { world.report { .displaced($0) } }
            if Int.random(in: 0..<3, using: &random) == 0 {
                world.loseSink()
                world.send(.output(.failed(generation, .deviceGone("unplugged"))))
            }
        }
        world.report(devices, current: current)
        if Int.random(in: 0..<4, using: &random) == 0 {
            world.command(.selectOutput(Bool.random(using: &random) ? current : nil))
        }
    }

    private static func randomEdit(_ world: SimulatedWorld, _ random: inout SeededGenerator) -> QueueEdit {
        let names = ["a-1", "b-2", "c-0.3", "d-0", "missing-1", "damaged-0.5", "e-4", "f-0.02", "late-6"]
        let drafts = (0...Int.random(in: 0...3, using: &random)).map { _ in
            ItemDraft(uri: names.randomElement(using: &random) ?? "a-1")
        }
        let count = world.core.queue.count
        guard count > 0, count < 40 else { return count == 0 ? .insert(drafts, at: .end) : .clear }
        let some = world.core.queue[Int.random(in: 0..<count, using: &random)].id
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .replace(drafts, startIndex: nil)
        case 1, 2, 3: return .insert(drafts, at: .next)
        case 4: return .move([some], to: Int.random(in: 0..<count, using: &random))
        case 5: return .remove([some])
        case 6: return .shuffle
        case 7: return .undo
        case 8: return .redo
        default: return .insert(drafts, at: .index(Int.random(in: 0...count, using: &random)))
        }
    }

    private static func randomPatch(_ random: inout SeededGenerator) -> SettingsPatch {
        var patch = SettingsPatch()
        switch Int.random(in: 0..<13, using: &random) {
        case 12: patch.crossfade = [0, 0.5, 2, 20].randomElement(using: &random)
        case 11: patch.playbackRate = [0.25, 1, 2, 4].randomElement(using: &random)
        case 6: patch.routePolicy = RoutePolicy.allCases.randomElement(using: &random)
        case 7:
            patch.interruptionPolicy = PlayerSettings.InterruptionPolicy.allCases.randomElement(using: &random)
        case 9: patch[dynamicMember: \.fades.pause] = [0, 0.1, 2].randomElement(using: &random)
        case 10: patch[dynamicMember: \.fades.stop] = [0, 0.1, 2].randomElement(using: &random)
        case 8: patch.interruptionTimeout = Bool.random(using: &random) ? 0.5 : 0
        case 0: patch.repeats = PlayerSettings.Repeat.allCases.randomElement(using: &random)
        case 1: patch.shuffle = Bool.random(using: &random)
        case 2: patch.consume = Int.random(in: 0..<4, using: &random) == 0
        case 3: patch.stopAfterCurrent = Int.random(in: 0..<3, using: &random) == 0
        case 4: patch.volume = Double.random(in: 0...1, using: &random)
        default: patch.autoPlay = Bool.random(using: &random)
        }
        return patch
    }
}
