// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Threading

@testable import Session

@Suite struct LiveSessionTests {
    /// Saves when the test says so.
    private final class HeldStore: PlayerStore {
        let saves = Mailbox<(text: String, completion: @Sendable (String?) -> Void)>()

        func load() -> SavedPlayer { SavedPlayer() }

        func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: String?) -> Void) {
            for case .note(_, let text) in changes { saves.post((text, completion)) }
        }

        func next() -> (text: String, completion: @Sendable (String?) -> Void) {
            var all = saves.take(until: nil)
            precondition(all.count == 1)
            return all.removeFirst()
        }
    }

    private let store = HeldStore()
    private let commands = Mailbox<PlayerCommand>()
    private let replies = Mailbox<Result<SessionStatus, SessionProblem>>()

    private func session(patience: Double = 600) -> LiveSession {
        var environment = LiveSession.Environment(
            store: store, neighbours: nil, interruptsOthers: false, notes: [:]
        ) { [commands] command, done in
            commands.post(command)
            done()
        }
        environment.patience = patience
        return LiveSession(environment)
    }

    private func change(_ session: LiveSession, _ edit: (inout SessionRequest) -> Void) {
        var request = SessionRequest()
        edit(&request)
        session.change(request) { [replies] in replies.post($0) }
    }

    private func reply() -> Result<SessionStatus, SessionProblem> { replies.take(until: nil)[0] }

    @Test func change_isInForceOnlyWhenItIsSaved() throws {
        let session = session()
        let told = Mailbox<SessionStatus>()
        session.observe { told.post($0) }
        change(session) { $0.category = .ambient }
        let save = store.next()
        #expect(session.status.configuration.category == .playback)
        save.completion(nil)
        #expect(try reply().get().configuration.category == .ambient)
        #expect(session.status.configuration.category == .ambient)
        #expect(told.take(until: nil).map(\.configuration.category) == [.ambient])
        session.stop()
    }

    @Test func changeThatIsNotSaved_changesNothing() {
        let session = session()
        _ = commands.take(until: nil)
        change(session) { $0.silentSwitch = true }
        // What comes behind it waits for it.
        change(session) { $0.category = .ambient }
        store.next().completion("no room")
        guard case .failure(.notSaved("no room")) = reply() else { return #expect(Bool(false)) }
        #expect(!session.status.silentSwitch)
        let second = store.next()
        #expect(!second.text.contains("\"silentSwitch\":true"))
        second.completion("no room")
        guard case .failure(.notSaved) = reply() else { return #expect(Bool(false)) }
        session.stop()
        #expect(commands.take(until: .now).isEmpty, "no player was told")
    }

    @Test func diskThatHangs_refusesInTime_andIsSetRightWhenItAnswers() {
        let session = session(patience: 0.05)
        change(session) { $0.category = .ambient }
        let late = store.next()
        guard case .failure(.notSaved) = reply() else { return #expect(Bool(false)) }
        #expect(session.status.configuration.category == .playback)
        late.completion(nil)
        #expect(store.next().text.contains("\"category\":\"playback\""))
        session.stop()
    }

    @Test func stop_refusesWhatIsNotSavedYet() {
        let session = session()
        change(session) { $0.category = .ambient }
        _ = store.next()
        change(session) { $0.silentSwitch = true }
        session.stop()
        let all = replies.take(until: nil)
        #expect(all.count == 2)
        for reply in all {
            guard case .failure(.notSaved) = reply else { return #expect(Bool(false)) }
        }
    }
}
