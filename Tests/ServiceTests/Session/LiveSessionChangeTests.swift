// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing
import Kernel

@testable import Service

/// A change of the session and its way to the disk.
@Suite struct LiveSessionChangeTests {
    /// Saves when the test says so.
    private final class HeldStore: PlayerStore {
        let saves = Mailbox<(text: String, completion: @Sendable (SaveFailure?) -> Void)>()

        func load() -> SavedPlayer { SavedPlayer() }

        func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
            for case .note(_, let text) in changes { saves.post((text, completion)) }
        }

        func next() throws -> (text: String, completion: @Sendable (SaveFailure?) -> Void) {
            let all = saves.take(until: .now.advanced(bySeconds: 60))
            return try #require(all.count == 1 ? all[0] : nil)
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
        var environment = LiveSession.Environment(
            store: store, otherStreams: nil, interruptsOthers: false, notes: [:], players: players)
        environment.patience = patience
        return LiveSession(environment)
    }

    private func change(_ session: LiveSession, _ edit: (inout SessionRequest) -> Void) {
        var request = SessionRequest()
        edit(&request)
        session.change(request) { [replies] in replies.post($0) }
    }

    private func reply() throws -> Result<SessionStatus, Problem> {
        try #require(replies.take(until: .now.advanced(bySeconds: 60)).first)
    }

    @Test func change_isInForceOnlyWhenItIsSaved() throws {
        let session = session()
        let told = Mailbox<SessionStatus>()
        session.observe { told.post($0) }
        change(session) { $0.silentSwitch = true }
        let save = try store.next()
        #expect(!session.status.silentSwitch)
        save.completion(nil)
        #expect(try reply().get().silentSwitch)
        #expect(session.status.silentSwitch)
        #expect(told.take(until: .now).map(\.silentSwitch) == [true])
        session.stop()
    }

    @Test func changeThatIsNotSaved_changesNothing() throws {
        let session = session()
        _ = commands.take(until: .now.advanced(bySeconds: 60))
        change(session) { $0.silentSwitch = true }
        // What comes behind it waits for it.
        change(session) { $0.options = [.mixWithOthers] }
        try store.next().completion(SaveFailure("no room"))
        #expect(try reply().refusal == "no room")
        #expect(!session.status.silentSwitch)
        let second = try store.next()
        #expect(!second.text.contains("\"silentSwitch\":true"))
        second.completion(SaveFailure("no room"))
        #expect(try reply().refusal != nil)
        session.stop()
        #expect(session.status.configuration == .standard)
        #expect(commands.take(until: .now).isEmpty, "no player was told")
    }

    @Test func diskThatHangs_refusesInTime_andIsSetRightWhenItAnswers() throws {
        let session = session(patience: 0.05)
        change(session) { $0.silentSwitch = true }
        let late = try store.next()
        #expect(try reply().refusal != nil)
        #expect(!session.status.silentSwitch)
        late.completion(nil)
        #expect(try store.next().text.contains("\"silentSwitch\":false"))
        session.stop()
    }

    @Test func stop_refusesWhatIsNotSavedYet() throws {
        let session = session()
        change(session) { $0.silentSwitch = true }
        _ = try store.next()
        change(session) { $0.options = [.mixWithOthers] }
        session.stop()
        let all = replies.take(until: .now)
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.refusal != nil })
    }
}

extension Result where Failure == Problem {
    /// Why it is not saved; nil for any other result.
    fileprivate var refusal: String? {
        if case .failure(let problem) = self, problem.code == "not-saved" { problem.detail } else { nil }
    }
}
