// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import PlaybackTesting
import Testing

@testable import Playback

@Suite(.timeLimit(.minutes(10))) struct TempoChangeTests {
    /// Each sample is the number of its frame, in millionths.
    private static let script = ScriptedOpener.Script(frames: 441_000, base: 0, step: 1e-6)
    private static let second = 44_100

    /// The ring has enough frames.
    private let hasEnough: (PlayerRig) -> Bool = { $0.output.unread > 4_410 }

    /// A stretcher's first output is not continuous: it starts 0.1 s before the position, and that part is skipped. The
    /// old sound crossfades into the new one: no frame is repeated, missing or silent.
    @Test func aChangeIsHeardWithin100Milliseconds_andNothingIsMissing() throws {
        let rig = PlayerRig(["a": Self.script], stretching: FrameDropping(silence: 0.1))
        rig.add(["a"], play: true)
        #expect(rig.play(while: hasEnough) { $0.output.captured.count >= Self.second })
        for (changes, rate) in [2.0, 1, 2].enumerated() {
            let count = rig.output.captured.count
            rig.send(.apply(.with { $0.playbackRate = rate }))
            #expect(rig.wait { $0.output.splices > changes })
            #expect(
                rig.play(while: hasEnough) {
                    $0.output.captured.count >= count + 8_820 && $0.player.snapshot.clock.rate == rate
                })
            let heard = rig.output.captured
            let steps = zip(heard[(count - 1)...], heard[count...]).map { $1 - $0 }
            // Within the crossfade both are up to 441 frames apart.
            #expect((steps.min() ?? -1) > 0 && (steps.max() ?? 1) < 3e-6)
            #expect(steps[4_410...].allSatisfy { abs($0 - Float(rate) * 1e-6) < 0.2e-6 })
            #expect(abs(rig.player.snapshot.clock.position - Double(heard[heard.count - 1]) * 1e6 / 44_100) < 0.002)
        }
        #expect(rig.output.flushes == 0)
    }

    /// A slider: the latest change counts, and the sound continues. A change to less than half of the speed would step
    /// back within the crossfade.
    @Test func manyChangesInARow_leaveNoHole() throws {
        let rig = PlayerRig(["a": Self.script], stretching: FrameDropping())
        rig.add(["a"], play: true)
        #expect(rig.play(while: hasEnough) { $0.output.captured.count >= Self.second })
        for change in 0..<30 {
            rig.send(.apply(.with { $0.playbackRate = Double(change % 3 + 2) }))
            let count = rig.output.captured.count
            #expect(rig.play(while: hasEnough) { $0.output.captured.count >= count + 441 })
        }
        rig.send(.apply(.with { $0.playbackRate = 2 }))
        let count = rig.output.captured.count
        #expect(
            rig.play(while: hasEnough) {
                $0.output.captured.count >= count + 22_050 && $0.player.snapshot.clock.rate == 2
            })
        let heard = rig.output.captured
        let steps = zip(heard, heard.dropFirst()).map { $1 - $0 }
        #expect((steps.min() ?? -1) > 0 && rig.output.flushes == 0)
    }

    /// SPEC 280: the position continues.
    @Test func aPartThatIsSet_repeatsNothing() throws {
        let rig = PlayerRig(["a": Self.script])
        rig.add(["a"], play: true)
        #expect(rig.play(while: hasEnough) { $0.output.captured.count >= Self.second })
        rig.send(.apply(.with { $0.abLoop = .some(ABLoop(begin: 0.5, end: 2)) }))
        #expect(rig.wait { $0.output.splices == 1 })
        #expect(rig.play(while: hasEnough) { $0.output.captured.count >= 2 * Self.second + 22_050 })
        let heard = rig.output.captured
        let expected = (0..<2 * Self.second).map { Float($0) * 1e-6 } + (22_050..<44_100).map { Float($0) * 1e-6 }
        let worst = zip(heard, expected).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 0.5e-6)
    }

    /// Also for an item that is loaded at a saved position.
    @Test func aStretcherRunsBeforeASavedPlace() throws {
        var saved = SavedPlayer()
        saved.settings.musicRate = 2
        saved.items = [QueueItem(id: ItemID(number: 1), draft: ItemDraft(uri: "a"))]
        saved.nextItemNumber = 2
        saved.current = SavedPosition(itemID: ItemID(number: 1), position: 3)
        let rig = PlayerRig(["a": Self.script], saved: saved, stretching: FrameDropping(silence: 0.1))
        rig.send(.play(.current))
        #expect(rig.play(while: hasEnough) { $0.output.captured.count >= 4_410 })
        #expect(abs((rig.output.captured.first ?? 0) - 0.1323) < 2e-6)
    }
}
