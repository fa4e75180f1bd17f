// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Playback

/// Announcements of this server that pause the music: the player's own interruptions.
@Suite struct PlayerCoreAnnouncementTests {
    private func announce(_ world: inout SimulatedWorld, _ begins: Bool, _ source: InterruptionSource = .announcement) {
        world.command(.interruption(InterruptionNotice(isBeginning: begins, source: source)))
        world.run(seconds: 0.5)
    }

    private func set(_ world: inout SimulatedWorld, autoResume: Bool, _ policy: PlayerSettings.InterruptionPolicy) {
        world.apply { ($0.autoResume, $0.interruptionPolicy) = (autoResume, policy) }
    }

    @Test(arguments: [true, false], PlayerSettings.InterruptionPolicy.allCases)
    func theMusicResumes_underAllSettings(autoResume: Bool, policy: PlayerSettings.InterruptionPolicy) {
        var world = SimulatedWorld.playing(["a-20"])
        set(&world, autoResume: autoResume, policy)
        announce(&world, true)
        #expect(world.status == .interrupted)
        announce(&world, false)
        #expect(world.status == .playing)
    }

    @Test func anotherProgramsInterruptionCounts_inEitherOrder() {
        for last in [InterruptionSource.announcement, .client] {
            var world = SimulatedWorld.playing(["a-20"])
            set(&world, autoResume: false, .auto)
            announce(&world, true)
            announce(&world, true, .client)
            announce(&world, false, last == .client ? .announcement : .client)
            #expect(world.status == .interrupted)
            announce(&world, false, last)
            #expect(world.status == .paused && world.core.reason == .interruptionEnded)
        }
    }

    /// The same commands with and without announcements end in the same state.
    @Test(arguments: 0..<40) func leavesNoTrace(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var disturbed = SimulatedWorld.playing(["a-9000", "b-9000", "c-9000"])
        var undisturbed = SimulatedWorld.playing(["a-9000", "b-9000", "c-9000"])
        var isHeard = false
        for _ in 0..<40 {
            if Bool.random(using: &random) {
                isHeard.toggle()
                announce(&disturbed, isHeard)
            }
            let command = userCommand(&random)
            disturbed.command(command)
            disturbed.run(seconds: 0.3)
            undisturbed.command(command)
            undisturbed.run(seconds: 0.3)
        }
        if isHeard { announce(&disturbed, false) }
        disturbed.run(seconds: 1)
        undisturbed.run(seconds: 1)
        #expect(disturbed.status == undisturbed.status)
        #expect(disturbed.core.settings == undisturbed.core.settings)
        #expect(disturbed.core.queue.currentID == undisturbed.core.queue.currentID)
        #expect(!disturbed.core.interruptions.isActive)
    }

    private func userCommand(_ random: inout SeededGenerator) -> PlayerCommand {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .pause
        case 1: return .play(.current)
        case 2: return .next
        case 3: return .stop(drain: false)
        case 4: return .seek(.position(Double.random(in: 0...100, using: &random)))
        default:
            return .apply(.with { $0.volume = Double.random(in: 0...1, using: &random) })
        }
    }

    @Test func theUsersCommandsMeanwhileApply() {
        var world = SimulatedWorld.playing(["a-20", "b-20"])
        announce(&world, true)
        world.command(.next)
        world.run(seconds: 0.5)
        announce(&world, false)
        #expect(world.status == .playing && world.core.current?.item.uri == "b-20")
        announce(&world, true)
        world.command(.pause)
        announce(&world, false)
        #expect(world.status == .paused && world.core.reason == .user)
        announce(&world, true)
        world.command(.play(.current))
        world.run(seconds: 0.5)
        #expect(world.status == .playing)
        announce(&world, false)
        #expect(world.status == .playing)
    }
}
