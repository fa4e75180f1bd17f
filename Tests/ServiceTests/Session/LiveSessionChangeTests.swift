// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel
import KernelTesting

@testable import Service

/// Changes of the session are saved before they are applied.
@Suite struct LiveSessionChangeTests {
    /// Completes saves when the test does.
    private final class HeldStore: PlayerStore {
        let saves = Mailbox<(text: String, completion: @Sendable (SaveFailure?) -> Void)>()

        func load() -> SavedPlayer { SavedPlayer() }

        func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
            for case .note(_, let text) in changes { saves.post((text, completion)) }
        }
    }

    private let store = HeldStore()
    private let commands = Mailbox<PlayerCommand>()
    private let replies = Mailbox<Result<SessionStatus, Problem>>()

    private func session(patience: Double = 600) -> LiveSession {
        let players = SessionPlayers()
        players.join("main") { [commands] command, done in
            commands.post(command)
            done()
        }
        return LiveSession(
            store: store, otherStreams: nil, interruptsOthers: false, notes: [:], players: players, patience: patience)
    }

    private func change(_ session: LiveSession, _ edit: (inout SessionRequest) -> Void) {
        var request = SessionRequest()
        edit(&request)
        session.change(request) { [replies] in replies.post($0) }
    }

    @Test func change_isAppliedOnlyWhenItIsSaved() throws {
        let session = session()
        let reported = Mailbox<SessionStatus>()
        session.observe { reported.post($0) }
        change(session) { $0.silentSwitch = true }
        let save = store.saves.answer()
        #expect(!session.status.silentSwitch)
        save.completion(nil)
        #expect(try replies.answer().get().silentSwitch)
        #expect(session.status.silentSwitch)
        #expect(reported.take(until: .now).map(\.silentSwitch) == [true])
        session.stop()
    }

    @Test func changeThatCannotBeSaved_changesNothing() {
        let session = session()
        _ = commands.take(until: .now.advanced(bySeconds: 60))
        change(session) { $0.silentSwitch = true }
        // The next change waits for it.
        change(session) { $0.options = [.mixWithOthers] }
        store.saves.answer().completion(SaveFailure("no room"))
        #expect(replies.answer().refusal == "The session cannot be saved: no room.")
        #expect(!session.status.silentSwitch)
        let second = store.saves.answer()
        #expect(!second.text.contains("\"silentSwitch\":true"))
        second.completion(SaveFailure("no room"))
        #expect(replies.answer().refusal != nil)
        session.stop()
        #expect(session.status.configuration == .standard)
        #expect(commands.take(until: .now).isEmpty, "no player got a command")
    }

    @Test func changeOnAHangingDisk_isRefusedInTime_andOverwritten() {
        let session = session(patience: 0.05)
        change(session) { $0.silentSwitch = true }
        #expect(replies.answer().refusal != nil)
        let saves = store.saves.take(2)
        #expect(saves.last?.text.contains("\"silentSwitch\":false") == true)
        saves.first?.completion(nil)
        session.stop()
        #expect(!session.status.silentSwitch)
    }

    @Test func stop_refusesUnsavedChanges() {
        let session = session()
        change(session) { $0.silentSwitch = true }
        _ = store.saves.answer()
        change(session) { $0.options = [.mixWithOthers] }
        session.stop()
        let all = replies.take(until: .now)
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.refusal != nil })
    }
}

extension Result where Failure == Problem {
    /// Why the change is not saved; nil for any other result.
    fileprivate var refusal: String? {
        if case .failure(let problem) = self, problem.code == "not-saved" { problem.detail } else { nil }
    }
}
