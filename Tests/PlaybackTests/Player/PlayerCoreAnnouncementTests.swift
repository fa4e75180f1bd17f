// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// Announcements of this server that pause the music: its own interruptions, not others'.
@Suite struct PlayerCoreAnnouncementTests {
    private func announce(_ world: inout SimulatedWorld, _ begins: Bool, _ source: InterruptionSource = .announcement) {
        world.command(.interruption(InterruptionNotice(isBeginning: begins, source: source)))
        world.run(seconds: 0.5)
    }

    private func set(_ world: inout SimulatedWorld, autoResume: Bool, _ policy: PlayerSettings.InterruptionPolicy) {
        var patch = SettingsPatch()
        patch.autoResume = autoResume
        patch.interruptionPolicy = policy
        world.command(.apply(patch))
    }

    @Test(arguments: [true, false], PlayerSettings.InterruptionPolicy.allCases)
    func theMusicComesBack_whateverIsSetForOthers(autoResume: Bool, policy: PlayerSettings.InterruptionPolicy) {
        var world = SimulatedWorld.playing(["a-20"])
        set(&world, autoResume: autoResume, policy)
        announce(&world, true)
        #expect(world.status == .interrupted)
        announce(&world, false)
        #expect(world.status == .playing)
    }

    @Test func anotherProgramsInterruptionCountsAsUsual_whicheverEndsLast() {
        for last in [InterruptionSource.announcement, .client] {
            var world = SimulatedWorld.playing(["a-20"])
            set(&world, autoResume: false, .auto)
            announce(&world, true)
            announce(&world, true, .client)
            announce(&world, false, last == .client ? .announcement : .client)
            #expect(world.status == .interrupted)
            announce(&world, false, last)
            #expect(world.status == .paused && world.core.reason == .interruption)
        }
    }

    @Test func whatTheUserDidMeanwhileHolds() {
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
        world.command(.play(.current, position: nil))
        world.run(seconds: 0.5)
        #expect(world.status == .playing)
        announce(&world, false)
        #expect(world.status == .playing)
    }
}
