// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Service

/// The screens that count, and reported changes (SPEC rows 96, 143).
@Suite struct LoginPolicyTests {
    private func own(_ id: String = "own", isLocked: Bool = false) -> LoginSession {
        LoginSession(id: id, user: 1000, isLocked: isLocked)
    }

    private func stranger(isLocked: Bool = false) -> LoginSession {
        LoginSession(id: "stranger", user: 7, isLocked: isLocked)
    }

    private func policy(_ sessions: LoginSession...) -> LoginPolicy {
        var policy = LoginPolicy(user: 1000)
        _ = policy.receive(.sessions(sessions))
        return policy
    }

    @Test func aMachineWithoutSessions_isNotLocked() {
        var policy = LoginPolicy(user: 1000)
        #expect(policy.receive(.sessions([])).isEmpty)
        #expect(policy.receive(.asked(id: "unknown", isLocked: true)).isEmpty)
        #expect(policy.receive(.hint(id: "unknown", isLocked: true)).isEmpty)
    }

    @Test func otherUsersScreensCount_onlyIfTheServersUserHasNone() {
        var policy = policy(own(), stranger())
        #expect(policy.receive(.hint(id: "stranger", isLocked: true)).isEmpty)
        #expect(policy.receive(.hint(id: "own", isLocked: true)) == [.locked(true)])
        #expect(policy.receive(.hint(id: "own", isLocked: true)).isEmpty)
        #expect(policy.receive(.sessions([stranger()])) == [.locked(false)])
        #expect(policy.receive(.hint(id: "stranger", isLocked: true)) == [.locked(true)])
    }

    @Test func allOwnScreensMustBeLocked() {
        var policy = policy(own("a"), own("b"))
        #expect(policy.receive(.asked(id: "a", isLocked: true)).isEmpty)
        #expect(policy.receive(.asked(id: "b", isLocked: true)) == [.locked(true)])
        #expect(policy.receive(.asked(id: "a", isLocked: false)) == [.locked(false)])
    }

    @Test func aTextConsoleDoesNotCount_besideADesktop() {
        let console = LoginSession(id: "console", user: 1000, isLocked: false, isGraphical: false)
        var policy = policy(own(), console)
        #expect(policy.receive(.hint(id: "own", isLocked: true)) == [.locked(true)])
        #expect(policy.receive(.sessions([console])) == [.locked(false)])
        #expect(policy.receive(.asked(id: "console", isLocked: true)) == [.locked(true)])
        // Another user's desktop does not count beside any session of the server's user.
        #expect(policy.receive(.sessions([console, stranger()])).isEmpty)
    }

    @Test func aReportOfTheDesktop_replacesARequest() {
        var policy = policy(own())
        #expect(policy.receive(.asked(id: "own", isLocked: true)) == [.locked(true)])
        #expect(policy.receive(.hint(id: "own", isLocked: true)).isEmpty)
        #expect(policy.receive(.hint(id: "own", isLocked: false)) == [.locked(false)])
    }

    @Test func aRequest_outlivesANewList_unlessTheDesktopReported() {
        var policy = policy(own())
        _ = policy.receive(.asked(id: "own", isLocked: true))
        #expect(policy.receive(.sessions([own(), stranger()])).isEmpty, "the hint is unchanged, so the request counts")
        #expect(policy.receive(.sessions([own(isLocked: true)])).isEmpty)
        #expect(policy.receive(.sessions([own()])) == [.locked(false)])
    }

    @Test func sleep_isReportedOnce_andEndsWithTheLoginManager() {
        var policy = policy(own(isLocked: true))
        #expect(policy.receive(.asleep(false)).isEmpty)
        #expect(policy.receive(.asleep(true)) == [.asleep(true)])
        #expect(policy.receive(.asleep(true)).isEmpty)
        #expect(policy.receive(.lost) == [.asleep(false)])
        #expect(policy.receive(.asleep(false)).isEmpty)
        #expect(policy.receive(.sessions([own()])) == [.locked(false)], "the lock stays as last reported")
    }

    @Test func theLock_interruptsOnlyCategoriesThatObeyIt() throws {
        for category in SessionCategory.allCases {
            var core = SessionCore(configuration: try SessionConfiguration(category: category))
            let obeys = category == .ambient || category == .soloAmbient
            let begins = core.machineChanged(.locked(true))
            #expect(begins == (obeys ? [.interrupt(InterruptionNotice(isBeginning: true, source: .lock))] : []))
            #expect(core.status.isLocked)
            #expect(core.machineChanged(.locked(true)).isEmpty)
            let ends = core.machineChanged(.locked(false))
            #expect(ends == (obeys ? [.interrupt(InterruptionNotice(isBeginning: false, source: .lock))] : []))
        }
    }

    @Test func sleep_interruptsEveryCategory() {
        var core = SessionCore()
        #expect(
            core.machineChanged(.asleep(true)) == [.interrupt(InterruptionNotice(isBeginning: true, source: .sleep))])
        #expect(
            core.machineChanged(.asleep(false)) == [.interrupt(InterruptionNotice(isBeginning: false, source: .sleep))])
    }
}
