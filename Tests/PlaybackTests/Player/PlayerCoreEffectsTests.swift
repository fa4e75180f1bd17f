// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

struct PlayerCoreEffectsTests {
    private func change(
        _ world: inout SimulatedWorld, replaces: Bool = false, preset: String? = nil,
        _ set: (inout EffectsPatch) -> Void = { _ in }
    ) -> PlaybackError? {
        var patch = EffectsPatch()
        patch.replaces = replaces
        patch.preset = preset
        set(&patch)
        return perform(&world, .merge(patch))
    }

    private func perform(_ world: inout SimulatedWorld, _ change: EffectsChange) -> PlaybackError? {
        let token = world.command(.changeEffects(change))
        _ = world.run { $0.replies[token] != nil }
        return world.failure(token)
    }

    @Test func changesAddUp_areSavedAndReachTheOutput() {
        var world = SimulatedWorld()
        #expect(change(&world) { $0.set(\.width, 1.5) } == nil)
        #expect(change(&world) { $0.set(\.isEnabled, true) } == nil)
        #expect(world.effects.count == 2)
        #expect(world.effects.last?.width == 1.5 && world.effects.last?.isEnabled == true)
        #expect(world.savedSettings?.effects == world.core.settings.effects)
        #expect(change(&world, replaces: true) { $0.set(\.mono, true) } == nil)
        #expect(world.core.settings.effects.width == 1 && world.core.settings.effects.mono)
        // The same value again is no change.
        let count = world.effects.count
        #expect(change(&world) { $0.set(\.mono, true) } == nil)
        #expect(world.effects.count == count)
    }

    @Test func aValueOutOfRange_isRefusedWithItsMember_andChangesNothing() {
        var world = SimulatedWorld()
        for (member, set) in [
            ("width", { $0.set(\.width, 2.1) }), ("limiter.ceiling", { $0.set(\.limiter.ceiling, .nan) }),
            ("loudness.preamp", { $0.set(\.loudness.preamp, 25) }),
            (
                "equalizer.bands[1].q",
                {
                    $0.set(\.equalizer.bands, [.init(.peak, frequency: 50, q: 1), .init(.peak, frequency: 50, q: 31)])
                }
            ),
            (
                "equalizer.bands",
                {
                    $0.set(\.equalizer.bands, Array(repeating: .init(.peak, frequency: 50, q: 1), count: 13))
                }
            ),
        ] as [(String, (inout EffectsPatch) -> Void)] {
            let error = change(&world, set)
            #expect(error?.code == .outOfRange && error?.member == member)
        }
        #expect(world.core.settings.effects == .off && world.effects.isEmpty)
    }

    @Test func savedEffectsReachTheOutputAtTheStart_andNotWhileSoundIsMeasured() {
        var saved = SavedPlayer()
        saved.settings.effects.isEnabled = true
        saved.settings.effects.mono = true
        var world = SimulatedWorld(saved: saved)
        #expect(world.effects == [saved.settings.effects])
        world.applyRules { $0.isUnprocessed = true }
        #expect(world.effects.last == .off)
        #expect(world.core.settings.effects == saved.settings.effects)
        world.command(.applyRules(SessionRules()))
        #expect(world.effects.last == saved.settings.effects)
    }

    // MARK: Presets

    @Test func aPresetIsTaken_andLosesItsNameWithItsCurve() {
        var world = SimulatedWorld()
        #expect(change(&world, preset: "bass") == nil)
        let equalizer = world.core.settings.effects.equalizer
        #expect(equalizer.preset == "bass" && equalizer.bands == EffectPreset.shipped[1].bands)
        #expect(change(&world) { $0.set(\.equalizer.isEnabled, true) } == nil)
        #expect(world.core.settings.effects.equalizer.preset == "bass")
        #expect(change(&world) { $0.set(\.equalizer.preamp, 0) } == nil)
        #expect(world.core.settings.effects.equalizer.preset == nil)
        #expect(change(&world, preset: "nothing")?.member == "equalizer.preset")
    }

    @Test func ownPresetsAreKept_replacedAndForgotten() {
        var world = SimulatedWorld()
        let bands = [EffectSettings.Band(.notch, frequency: 50, q: 30)]
        #expect(perform(&world, .keep(name: "hum", preamp: nil, bands: bands)) == nil)
        #expect(change(&world, preset: "hum") == nil)
        #expect(world.core.settings.effects.equalizer.bands == bands)
        #expect(perform(&world, .keep(name: "hum", preamp: -3, bands: nil)) == nil)
        #expect(world.core.settings.effectPresets == [EffectPreset(name: "hum", preamp: -3, bands: bands)])
        #expect(world.core.settings.effects.equalizer.preset == nil)
        #expect(perform(&world, .forget(preset: "hum")) == nil)
        #expect(world.core.settings.effectPresets.isEmpty)
        #expect(perform(&world, .forget(preset: "hum"))?.code == .noSuchContent)
        #expect(perform(&world, .forget(preset: "flat"))?.code == .invalidState)
        #expect(perform(&world, .keep(name: "flat", preamp: 0, bands: []))?.code == .invalidState)
        #expect(perform(&world, .keep(name: "a\nb", preamp: 0, bands: []))?.member == "name")
        for number in 0..<EffectPreset.limit {
            #expect(perform(&world, .keep(name: "\(number)", preamp: 0, bands: [])) == nil)
        }
        #expect(perform(&world, .keep(name: "one more", preamp: 0, bands: []))?.member == "name")
    }

    @Test func effectsNeedNoMoreWakeUps() {
        var (plain, changed) = (SimulatedWorld.playing(["a-60"]), SimulatedWorld.playing(["a-60"]))
        Self.reverberate(&changed)
        for _ in 0..<200 {
            plain.run(seconds: 0.1)
            changed.run(seconds: 0.1)
            let waits = [plain, changed].map { $0.core.nextDeadline?.seconds(since: $0.now) ?? .infinity }
            #expect(abs(waits[0] - waits[1]) < 0.011, "\(waits)")
        }
    }

    private static func reverberating(_ uris: [String]) -> SimulatedWorld {
        var world = SimulatedWorld.playing(uris)
        reverberate(&world)
        return world
    }

    static func reverberate(_ world: inout SimulatedWorld) {
        var effects = EffectsPatch()
        effects.set(\.isEnabled, true)
        effects.set(\.reverb.isEnabled, true)
        effects.set(\.reverb.decay, 2)
        world.command(.changeEffects(.merge(effects)))
    }

    @Test func theReverbDiesAway_beforeTheQueueIsOver() {
        var world = Self.reverberating(["a-3"])
        #expect(world.run { $0.position >= 3 })
        let end = world.now
        world.run(seconds: 1.9)
        #expect(world.status == .playing && world.position == 3 && world.completions.count == 0)
        #expect(abs(world.core.positionClock.listenedTime - 3) < 0.01)
        #expect(world.run(upTo: 1) { $0.status == .completed })
        #expect(abs(world.now.seconds(since: end) - 2) < 0.05 && world.completions.count == 1)
        #expect(world.core.positionClock.listenedTime < 3.01 && world.lateOrDoubleReplies == 0)
    }

    @Test(
        arguments: [
            (["a-3", "missing"], Queue.Order(repeats: .off, shuffle: true), PlayerSettings.ErrorPolicy.skip, 2),
            (["a-3", "missing"], Queue.Order(), .skip, 2), (["damaged-3"], Queue.Order(), .skip, 1),
            (["a-3", "missing", "missing", "missing"], Queue.Order(), .skip, 4),
            (["a-3"] + Array(repeating: "missing", count: 12), Queue.Order(), .skip, 13),
            (["a-3", "missing", "missing"], Queue.Order(repeats: .off, shuffle: true), .skip, 3),
            (["damaged-3", "missing", "missing"], Queue.Order(repeats: .all), .skip, 3),
            (["damaged-3"], Queue.Order(repeats: .all), .skip, 1),
            (["damaged-3"], Queue.Order(repeats: .one), .skip, 1),
            (["damaged-3", "missing"], Queue.Order(repeats: .all), .skip, 2),
            (["damaged-3", "b-60"], Queue.Order(), .stop, 1), (["a-3", "missing", "b-60"], Queue.Order(), .stop, 2),
        ])
    func theReverbDiesAway_whenAFailureEndsTheQueue(
        uris: [String], order: Queue.Order, policy: PlayerSettings.ErrorPolicy, failures: Int
    ) {
        var world = Self.reverberating(uris)
        world.apply {
            $0.shuffle = order.shuffle
            $0.repeats = order.repeats
            $0.onError = policy
        }
        #expect(world.run { $0.position >= 3 })
        let end = world.now
        world.run(seconds: 1.9)
        #expect(world.status == .playing && world.position == 3 && world.completions.count == 0)
        #expect(world.run(upTo: 1) { $0.status == .failed })
        #expect(abs(world.now.seconds(since: end) - 2) < 0.05 && world.completions.count == failures)
    }

    @Test(arguments: [1, 3]) func itemsThatFailInTheMiddle_arePassedAtOnce(count: Int) {
        var world = Self.reverberating(["a-3"] + Array(repeating: "missing", count: count) + ["b-60"])
        #expect(world.run { $0.position >= 2.99 })
        #expect(world.run(upTo: 0.5) { $0.core.current?.item.uri == "b-60" && $0.status == .playing })
        #expect(world.completions.count == count + 1 && world.lateOrDoubleReplies == 0)
    }

    /// Items that were loaded because others had failed are dropped with these.
    @Test func itemsAfterFailedOnes_areDroppedByAnEdit() {
        var world = Self.reverberating(["a-3", "missing", "missing"])
        #expect(world.run { $0.core.loaded.ahead.count == 2 && $0.position < 3 })
        world.add(["b-60"], at: .next)
        #expect(world.core.loaded.ahead.map(\.item.uri) == ["b-60"])
        #expect(world.run(upTo: 3) { $0.core.current?.item.uri == "b-60" && $0.status == .playing })
        #expect(Set(world.sessions.keys) == Set(world.core.loaded.all.map(\.generation)))
        #expect(world.lateOrDoubleReplies == 0)
    }

    /// The second item is not decoded to its end when it is stopped.
    @Test(arguments: ["a-3", "starving-3"]) func theReverbDiesAway_inAStopThatDrains(uri: String) {
        var world = Self.reverberating([uri])
        #expect(world.run { $0.position >= 1 })
        world.command(.stop(drain: true))
        #expect(world.run { $0.position >= 3 })
        let end = world.now
        world.run(seconds: 1.9)
        #expect(world.status == .stopping && world.position == 3)
        #expect(world.run(upTo: 1) { $0.status == .stopped })
        #expect(abs(world.now.seconds(since: end) - 2) < 0.05 && world.sink.heard == Double(world.sink.written))
        #expect(world.sessions.isEmpty && world.lateOrDoubleReplies == 0)
    }

    @Test func aStopThatDrains_isTakenBackWhileTheReverbDiesAway() {
        var world = Self.reverberating(["a-3", "b-60"])
        #expect(world.run { $0.core.upcoming?.isFed == true })
        world.command(.stop(drain: true))
        world.run(seconds: 0.2)
        world.command(.play(.current))
        #expect(world.run(upTo: 3) { $0.core.current?.item.uri == "b-60" && $0.status == .playing })
    }

    @Test func theReverbDiesAway_beforeAStreamOfAnotherLayout() throws {
        var world = SimulatedWorld()
        Self.reverberate(&world)
        let wide = OutputDevice(
            id: "wide", description: "Wide", isDefault: true, channelCount: 6, layout: SimulatedWorld.surround)
        world.report([wide], current: wide.id)
        let drafts = ["a-3", "surround-3"].map { ItemDraft(uri: $0) }
        world.command(.edit(.insert(drafts, at: .end), play: true))
        #expect(world.run { $0.position >= 3 })
        let end = world.now
        world.run(seconds: 1.9)
        #expect(world.core.current?.item.uri == "a-3" && world.opened == 1)
        #expect(world.run(upTo: 1) { $0.core.current?.item.uri == "surround-3" && $0.status == .playing })
        #expect(world.now.seconds(since: end) < 2.3 && world.opened == 2)
    }

    @Test func anItemAddedBeforeTheEnd_followsWithoutAGap() throws {
        var world = Self.reverberating(["a-3"])
        #expect(world.run { $0.core.current?.decayEnd != nil && $0.position < 3 })
        world.add(["b-60"])
        #expect(world.run(upTo: 3) { $0.core.upcoming?.isFed == true })
        world.run(seconds: 0.05)
        let segments = world.core.stream.timeline.segments
        let next = try #require(segments.last { $0.generation == world.core.upcoming?.generation })
        #expect(next.start == world.core.current?.writtenEnd)
        #expect(world.run(upTo: 3) { $0.core.current?.item.uri == "b-60" && $0.status == .playing })
        #expect(world.core.statistics.underruns == 0)
    }

    @Test func anItemAddedWhileItDiesAway_isPlayed() {
        var world = Self.reverberating(["a-3"])
        #expect(world.run { $0.position >= 3 })
        world.run(seconds: 0.5)
        world.add(["b-60"])
        #expect(
            world.run(upTo: 3) { $0.core.current?.item.uri == "b-60" && $0.status == .playing && $0.position > 0.1 })
    }

    @Test func aPauseAndASeek_whileItDiesAway() {
        var world = Self.reverberating(["a-3"])
        #expect(world.run { $0.position >= 3 })
        world.run(seconds: 0.5)
        world.command(.pause)
        #expect(world.run { $0.status == .paused } && world.position == 3)
        world.run(seconds: 5)
        world.command(.play(.current))
        world.run(seconds: 0.5)
        #expect(world.status == .playing)
        world.command(.seek(.position(1)))
        #expect(world.run { $0.status == .playing && $0.position > 1.1 && $0.position < 2 })
        #expect(world.run(upTo: 5) { $0.status == .completed })
    }
}
