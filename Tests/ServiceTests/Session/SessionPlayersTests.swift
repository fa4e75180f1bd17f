// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing

@testable import Service

@Suite struct SessionPlayersTests {
    /// Records commands as texts, and completes them on request.
    private final class Listener: Sendable {
        private let state = Mutex<(words: [String], open: [@Sendable () -> Void])>(([], []))

        var words: [String] { state.withLock { $0.words } }

        func perform(_ command: PlayerCommand, _ done: @escaping @Sendable () -> Void) {
            let word =
                switch command {
                case .applyRules(let rules): "rules \(rules.role)"
                case .interruption(let notice): "\(notice.isBeginning ? "began" : "ended") \(notice.source.rawValue)"
                case .pause: "pause"
                default: "other"
                }
            state.withLock {
                $0.words.append(word)
                $0.open.append(done)
            }
        }

        func answer() { for done in state.withLock({ $0.open }) { done() } }
    }

    private let group = SessionPlayers()

    private func join(_ id: String) -> Listener {
        let listener = Listener()
        group.join(id, listener.perform)
        return listener
    }

    private func rules(_ role: String) -> SessionRules {
        var rules = SessionRules()
        rules.role = role
        return rules
    }

    private func interrupt(_ source: InterruptionSource, _ isBeginning: Bool) {
        group.command(.interruption(InterruptionNotice(isBeginning: isBeginning, source: source))) {}
    }

    @Test func aCommandReachesAll_andIsDoneOnceAllHavePerformedIt() {
        let (a, b) = (join("a"), join("b"))
        let count = Atomic(0)
        group.command(.applyRules(rules("music"))) { count.add(1, ordering: .relaxed) }
        #expect(a.words == ["rules music"] && b.words == ["rules music"])
        #expect(count.load(ordering: .relaxed) == 0)
        a.answer()
        #expect(count.load(ordering: .relaxed) == 0)
        b.answer()
        #expect(count.load(ordering: .relaxed) == 1)
        group.command(.pause, only: ["b"]) {}
        #expect(a.words.count == 1 && b.words.last == "pause")
    }

    @Test func aCommandWithoutPlayers_isDoneAtOnce() {
        let count = Atomic(0)
        group.command(.pause) { count.add(1, ordering: .relaxed) }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func aLaterPlayer_getsTheLatestRules_andOpenInterruptions() {
        _ = join("a")
        group.command(.applyRules(rules("music"))) {}
        group.command(.applyRules(rules("video"))) {}
        interrupt(.client, true)
        interrupt(.client, true)
        interrupt(.client, false)
        interrupt(.sleep, true)
        interrupt(.sleep, false)
        interrupt(.lock, true)
        interrupt(.lock, true)
        let late = join("b")
        #expect(late.words.first == "rules video")
        #expect(late.words.dropFirst().sorted() == ["began client", "began lock"])
        interrupt(.client, false)
        interrupt(.lock, false)
        #expect(late.words.suffix(2) == ["ended client", "ended lock"])
        #expect(join("c").words == ["rules video"])
    }

    @Test func aLaterPlayer_isNotInterruptedByFormerClients() {
        let a = join("a")
        interrupt(.client, true)
        interrupt(.client, true)
        interrupt(.lock, true)
        group.forgetClients()
        #expect(join("b").words == ["began lock"])
        // Earlier players count for themselves.
        interrupt(.client, false)
        #expect(a.words.last == "ended client" && join("c").words == ["began lock"])
    }

    @Test func aPlayerThatLeft_getsNoCommands() {
        let a = join("a")
        group.leave("a")
        group.command(.pause) {}
        #expect(a.words.isEmpty)
    }
}
