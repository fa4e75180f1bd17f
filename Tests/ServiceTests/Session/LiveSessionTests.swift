// SPDX-License-Identifier: Apache-2.0

import Playback
import PlaybackTesting
import Testing
import Kernel

@testable import Service

@Suite struct LiveSessionTests {
    private func session(
        _ perform: @escaping SessionPlayers.Perform
    ) -> LiveSession {
        let players = SessionPlayers()
        players.join("main", perform)
        return LiveSession(
            LiveSession.Environment(
                store: MemoryStore(), otherStreams: nil, interruptsOthers: false, notes: [:], players: players))
    }

    /// The machine waits with its sleep for this.
    @Test func sleepIsDone_whenThePlayersAreSilent() {
        let commands = Mailbox<@Sendable () -> Void>()
        let session = session { command, done in
            if case .interruption = command { commands.post(done) } else { done() }
        }
        let told = Mailbox<Bool>()
        session.receive(.asleep(true)) { told.post(true) }
        let waiting = commands.take(until: .now.advanced(bySeconds: 60))
        #expect(waiting.count == 1)
        #expect(told.take(until: .now.advanced(bySeconds: 0.1)).isEmpty, "they are not silent yet")
        for done in waiting { done() }
        #expect(!told.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        session.stop()
        session.receive(.asleep(false)) { told.post(true) }
        #expect(!told.take(until: .now.advanced(bySeconds: 60)).isEmpty, "nobody waits for a session that ended")
    }

    @Test func whatComesBehindTheEnd_isAnswered() {
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
        var all: [Bool] = []
        while all.count < 2 {
            let new = answers.take(until: .now.advanced(bySeconds: 10))
            if new.isEmpty { break }
            all += new
        }
        #expect(all == [true, false])
    }

    @Test func stop_doesNotWaitForAPlayerThatHangs() {
        let (hung, release, ended) = (Mailbox<Bool>(), Mailbox<Bool>(), Mailbox<Bool>())
        let session = session { command, done in
            hung.post(true)
            _ = release.take(until: .now.advanced(bySeconds: 120))
            done()
        }
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        let thread = NamedThread("ends") {
            session.stop()
            ended.post(true)
        }
        #expect(!ended.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        release.post(true)
        thread.join()
    }
}
