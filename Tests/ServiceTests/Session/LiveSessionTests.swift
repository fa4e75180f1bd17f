// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Testing
import Kernel
import KernelTesting

@testable import Service

@Suite struct LiveSessionTests {
    private func session(
        _ perform: @escaping SessionPlayers.Perform
    ) -> LiveSession {
        let players = SessionPlayers()
        players.join("main", perform)
        return LiveSession(
            store: MemoryStore(), otherStreams: nil, interruptsOthers: false, notes: [:], players: players)
    }

    /// The machine delays its sleep until then.
    @Test func sleepIsDone_whenThePlayersAreSilent() {
        let commands = Mailbox<@Sendable () -> Void>()
        let session = session { command, done in
            if case .interruption = command { commands.post(done) } else { done() }
        }
        let done = Mailbox<Bool>()
        session.receive(.asleep(true)) { done.post(true) }
        let waiting = commands.take(until: .now.advanced(bySeconds: 60))
        #expect(waiting.count == 1)
        #expect(done.take(until: .now.advanced(bySeconds: 0.1)).isEmpty, "the players are not silent yet")
        for reply in waiting { reply() }
        #expect(!done.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        session.stop()
        session.receive(.asleep(false)) { done.post(true) }
        #expect(!done.take(until: .now.advanced(bySeconds: 60)).isEmpty, "an ended session delays nothing")
    }

    @Test func messagesAfterTheEnd_areAnswered() {
        let (hung, release, answers) = (Mailbox<Bool>(), Mailbox<Bool>(), Mailbox<Bool>())
        let isHeld = Monitor(true)
        let session = session { command, done in
            let isFirst = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if isFirst {
                hung.post(true)
                _ = release.take(until: .now.advanced(bySeconds: 120))
            }
            done()
        }
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        session.stop()
        session.change(SessionRequest()) {
            if case .failure(let problem) = $0, problem.code == "not-saved" { answers.post(true) }
        }
        session.receive(.asleep(true)) { answers.post(false) }
        release.post(true)
        #expect(answers.take(2) == [true, false])
    }

    @Test func stop_doesNotWaitForAPlayerThatHangs() {
        let (hung, release) = (Mailbox<Bool>(), Mailbox<Bool>())
        let session = session { command, done in
            hung.post(true)
            _ = release.take(until: .now.advanced(bySeconds: 120))
            done()
        }
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        #expect(returns { session.stop() })
        release.post(true)
    }
}
