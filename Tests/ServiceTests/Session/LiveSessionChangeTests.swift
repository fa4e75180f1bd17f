// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel

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
        return LiveSession(
            store: store, otherStreams: nil, interruptsOthers: false, notes: [:], players: players, patience: patience)
    }

    private func change(_ session: LiveSession, _ edit: (inout SessionRequest) -> Void) {
        var request = SessionRequest()
        edit(&request)
        session.change(request) { [replies] in replies.post($0) }
    }

    private func reply() throws -> Result<SessionStatus, Problem> {
        try #require(replies.take(until: .now.advanced(bySeconds: 60)).first)
    }

    @Test func change_isAppliedOnlyWhenItIsSaved() throws {
        let session = session()
        let reported = Mailbox<SessionStatus>()
        session.observe { reported.post($0) }
        change(session) { $0.silentSwitch = true }
        let save = try store.next()
        #expect(!session.status.silentSwitch)
        save.completion(nil)
        #expect(try reply().get().silentSwitch)
        #expect(session.status.silentSwitch)
        #expect(reported.take(until: .now).map(\.silentSwitch) == [true])
        session.stop()
    }

    @Test func changeThatCannotBeSaved_changesNothing() throws {
        let session = session()
        _ = commands.take(until: .now.advanced(bySeconds: 60))
        change(session) { $0.silentSwitch = true }
        // The next change waits for it.
        change(session) { $0.options = [.mixWithOthers] }
        try store.next().completion(SaveFailure("no room"))
        #expect(try reply().refusal == "The session cannot be saved: no room.")
        #expect(!session.status.silentSwitch)
        let second = try store.next()
        #expect(!second.text.contains("\"silentSwitch\":true"))
        second.completion(SaveFailure("no room"))
        #expect(try reply().refusal != nil)
        session.stop()
        #expect(session.status.configuration == .standard)
        #expect(commands.take(until: .now).isEmpty, "no player got a command")
    }

    @Test func changeOnAHangingDisk_isRefusedInTime_andOverwrittenLater() throws {
        let session = session(patience: 0.05)
        change(session) { $0.silentSwitch = true }
        let late = try store.next()
        #expect(try reply().refusal != nil)
        #expect(!session.status.silentSwitch)
        late.completion(nil)
        #expect(try store.next().text.contains("\"silentSwitch\":false"))
        session.stop()
    }

    @Test func stop_refusesUnsavedChanges() throws {
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
    /// Why the change is not saved; nil for any other result.
    fileprivate var refusal: String? {
        if case .failure(let problem) = self, problem.code == "not-saved" { problem.detail } else { nil }
    }
}
