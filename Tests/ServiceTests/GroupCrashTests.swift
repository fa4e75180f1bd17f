// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import PlaybackTesting
import Testing

@testable import Service

/// Restarts after each save of a change of groups.
@Suite struct GroupCrashTests {
    private static let ids = ["main", "kitchen", "bath"]

    /// Performs the change, and checks the players after a crash behind each of its saves.
    private func afterEachCrash(
        _ prepare: (HostRig) throws -> Void, _ change: (HostRig) throws -> Void,
        _ check: (HostRig) -> Bool
    ) throws {
        let disk = ScriptedDisk()
        let before: Int
        do {
            let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
            try prepare(rig)
            before = disk.count
            try change(rig)
        }
        for count in before...disk.count {
            let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk.after(count))
            try #require(eventually { check(rig) }, "\(count - before) saves: \(Self.leaders(rig))")
        }
    }

    private static func leaders(_ rig: HostRig) -> [String: String] {
        ids.reduce(into: [:]) { $0[$1] = rig[$1].player.snapshot.settings.leader }
    }

    private func uris(_ rig: HostRig, _ id: String) -> [String] {
        rig[id].player.queueWindow(offset: 0, limit: 100).items.map(\.uri)
    }

    @Test func aSwapOfLeaders_leavesOneLeaderWithItsQueue() throws {
        try afterEachCrash { rig in
            _ = rig.perform(.edit(.replace(rig.items(4), startIndex: 2), expected: nil, play: false), on: "main")
            for id in ["kitchen", "bath"] { _ = try #require(rig.follow(id, "main")) }
        } _: { rig in
            _ = try #require(rig.follow("main", "kitchen"))
        } _: { rig in
            let leaders = Self.leaders(rig)
            guard let head = Self.ids.first(where: { leaders[$0] == nil }) else { return false }
            return leaders.count == 2 && leaders.values.allSatisfy { $0 == head }
                && uris(rig, head) == rig.items(4).map(\.uri)
        }
    }

    @Test func aGroupThatJoinsAnother_staysTogether() throws {
        try afterEachCrash { rig in
            _ = try #require(rig.follow("kitchen", "main"))
        } _: { rig in
            _ = try #require(rig.follow("main", "bath"))
        } _: { rig in
            [["kitchen": "main"], ["kitchen": "bath", "main": "bath"]].contains(Self.leaders(rig))
        }
    }

    @Test func aLeavingFollower_followsOrHasTheQueue() throws {
        try afterEachCrash { rig in
            _ = rig.perform(.edit(.replace(rig.items(4), startIndex: 2), expected: nil, play: false), on: "main")
            _ = try #require(rig.follow("kitchen", "main"))
        } _: { rig in
            _ = try #require(rig.follow("kitchen", nil))
        } _: { rig in
            Self.leaders(rig) == ["kitchen": "main"] || uris(rig, "kitchen") == rig.items(4).map(\.uri)
        }
    }

    @Test(
        arguments: [
            (["kitchen": "main", "bath": "main"], ["kitchen": "main", "bath": "main"]), (["bath": "gone"], [:]),
            (["bath": "kitchen", "kitchen": "main"], ["kitchen": "main"]),
            (["bath": "kitchen", "kitchen": "bath"], [:]), (["bath": "bath"], [:]), (["gone": "main"], [:]),
        ] as [([String: String], [String: String])])
    func aRecord_isRestoredAsFarAsPossible(recorded: [String: String], leaders: [String: String]) throws {
        var main = SavedPlayer()
        main.notes["leaders"] = SavedNote(name: "leaders").text(recorded)
        let disk = ScriptedDisk(["main": main])
        let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
        #expect(eventually { Self.leaders(rig) == leaders }, "\(Self.leaders(rig))")
        // A later player with the id of a removed one is not in its group.
        _ = try #require(rig.follow("main", nil))
        let after = try HostRig(["kitchen", "bath", "gone"], on: disk.after(disk.count))
        #expect(eventually { Self.leaders(after) == leaders && after["gone"].snapshot.settings.leader == nil })
    }

    /// For an alarm, which does not ask the group.
    @Test func aPlayerThatLeftByItself_isAloneAfterARestart() throws {
        let disk = ScriptedDisk()
        let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
        for id in ["kitchen", "bath"] { _ = try #require(rig.follow(id, "main")) }
        var patch = SettingsPatch()
        patch.leader = .some(nil)
        rig["kitchen"].player.perform(.apply(patch))
        let record = SavedNote(name: "leaders").text(["bath": "main"])
        try #require(eventually { disk.after(disk.count).notes("main")["leaders"] == record })
        let after = try HostRig(Array(Self.ids.dropFirst()), on: disk.after(disk.count))
        #expect(eventually { Self.leaders(after) == ["bath": "main"] })
    }

    // MARK: Failing saves of the record

    private static func isRecord(_ save: ScriptedDisk.Save) -> Bool {
        save.changes.contains { if case .note("leaders", _) = $0 { true } else { false } }
    }

    @Test func aHangingDisk_refusesAChangeInTime_andTheNextOne() throws {
        let disk = ScriptedDisk()
        let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
        _ = rig.perform(.edit(.replace(rig.items(4), startIndex: 2), expected: nil, play: false), on: "main")
        _ = try #require(rig.follow("kitchen", "main"))
        disk.answers { Self.isRecord($0) ? .hangs : .kept }
        for other in ["kitchen", "bath"] {
            let isRefused = Published<Bool?, Never>(nil)
            let side = NamedThread("side") {
                let result = rig.follow("main", other)
                isRefused.update { $0 = result == nil }
            }
            #expect(
                eventually {
                    rig.clock.advance(seconds: 0.02)
                    // Wakes the player's thread, which waits for the real time.
                    rig["main"].perform(.shift(0)) { _ in }
                    return isRefused.value != nil
                })
            side.join()
            #expect(isRefused.value == true && rig.lastError?.code == .notSaved)
        }
        // The new leader has the queue, and no followers.
        #expect(Self.leaders(rig) == [:])
        for id in ["main", "kitchen"] { #expect(uris(rig, id) == rig.items(4).map(\.uri)) }
    }

    @Test func aRefusedRecord_leavesTheGroup_andTheNextIsKept() throws {
        let disk = ScriptedDisk()
        let changed: [String: String]
        do {
            let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
            _ = try #require(rig.follow("kitchen", "main"))
            disk.answers { Self.isRecord($0) ? .refused : .kept }
            #expect(rig.follow("bath", "main") == nil && rig.lastError?.code == .notSaved)
            #expect(Self.leaders(rig) == ["kitchen": "main"])
            disk.answers { _ in .kept }
            _ = try #require(rig.follow("main", "bath"))
            changed = Self.leaders(rig)
        }
        let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk.after(disk.count))
        #expect(changed == ["main": "bath", "kitchen": "bath"] && Self.leaders(rig) == changed)
    }

    @Test func aRefusedPatch_isNotRecorded() throws {
        let disk = ScriptedDisk()
        do {
            let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk)
            #expect(rig.apply(to: "kitchen") { ($0.leader, $0.volume) = ("main", 7) } == nil)
            _ = try #require(rig.follow("bath", "main"))
        }
        let rig = try HostRig(Array(Self.ids.dropFirst()), on: disk.after(disk.count))
        #expect(Self.leaders(rig) == ["bath": "main"])
    }
}
