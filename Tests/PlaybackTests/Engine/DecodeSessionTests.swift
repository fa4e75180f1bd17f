// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import PlaybackTesting
import Testing

@testable import Playback

@Suite struct DecodeSessionTests {
    /// Both commands wait for the thread when it has decoded the first frames, and the end cancels the seek.
    @Test func anEndRightAfterASeek_endsTheThread() {
        final class Witness: Sendable {}
        let sessions = Mailbox<DecodeSession>()
        let environment = Player.Environment(
            opener: ScriptedOpener(["a": .init(frames: 441_000, stall: 200_000)]),
            output: CapturingOutput(clock: ManualClock()), conversion: NoConversion(), stretching: NoStretching(),
            store: MemoryStore(SavedPlayer()), clock: ManualClock())
        weak var thread: Witness?
        do {
            let witness = Witness()
            thread = witness
            let item = QueueItem(id: ItemID(number: 1), draft: ItemDraft(uri: "a"))
            let session = DecodeSession(
                item, start: DecodeStart(place: .seconds(0)), environment, ahead: SharedSeconds(), meter: DecodeMeter()
            ) { [witness] event in
                withExtendedLifetime(witness) {
                    guard case .primed(let run, _) = event, run == DecodeRun() else { return }
                    let session = sessions.answer()
                    session.reposition(DecodeRun(number: 1), DecodeStart(place: .seconds(5)))
                    session.end()
                }
            }
            sessions.post(session)
        }
        #expect(eventually { thread == nil })
    }
}
