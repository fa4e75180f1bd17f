// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import Testing

@testable import Service

@Suite struct SessionPlayersTests {
    /// What a player was told, in words; it answers when asked to.
    private final class Listener: Sendable {
        private let told = Mutex<(words: [String], open: [@Sendable () -> Void])>(([], []))

        var words: [String] { told.withLock { $0.words } }

        func perform(_ command: PlayerCommand, _ done: @escaping @Sendable () -> Void) {
            let word =
                switch command {
                case .applyRules(let rules): "obey \(rules.role)"
                case .interruption(let notice): "\(notice.isBeginning ? "began" : "ended") \(notice.source.rawValue)"
                case .pause: "pause"
                default: "other"
                }
            told.withLock {
                $0.words.append(word)
                $0.open.append(done)
            }
        }

        func answer() { for done in told.withLock({ $0.open }) { done() } }
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

    @Test func allAreTold_andDoneComesOnce_whenAllHaveDoneIt() {
        let (a, b) = (join("a"), join("b"))
        let count = Atomic(0)
        group.command(.applyRules(rules("music"))) { count.add(1, ordering: .relaxed) }
        #expect(a.words == ["obey music"] && b.words == ["obey music"])
        #expect(count.load(ordering: .relaxed) == 0)
        a.answer()
        #expect(count.load(ordering: .relaxed) == 0)
        b.answer()
        #expect(count.load(ordering: .relaxed) == 1)
        group.command(.pause, only: ["b"]) {}
        #expect(a.words.count == 1 && b.words.last == "pause")
    }

    @Test func doneComesAtOnce_whenNobodyIsThere() {
        let count = Atomic(0)
        group.command(.pause) { count.add(1, ordering: .relaxed) }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func whoComesLater_obeysTheLatestRules_andWhatHasNotEnded() {
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
        #expect(late.words.first == "obey video")
        #expect(late.words.dropFirst().sorted() == ["began client", "began lock"])
        interrupt(.client, false)
        interrupt(.lock, false)
        #expect(late.words.suffix(2) == ["ended client", "ended lock"])
        #expect(join("c").words == ["obey video"])
    }

    @Test func whoComesLater_isNotInterruptedByClientsThatAreGone() {
        let a = join("a")
        interrupt(.client, true)
        interrupt(.client, true)
        interrupt(.lock, true)
        group.forgetClients()
        #expect(join("b").words == ["began lock"])
        // The others count for themselves.
        interrupt(.client, false)
        #expect(a.words.last == "ended client" && join("c").words == ["began lock"])
    }

    @Test func whoLeft_isToldNothing() {
        let a = join("a")
        group.leave("a")
        group.command(.pause) {}
        #expect(a.words.isEmpty)
    }
}
