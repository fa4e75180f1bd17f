// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@testable import Service

@Suite struct GroupPlanTests {
    @Test(
        arguments: [
            // leaders, player, wanted, steps
            ([:], "a", "b", [.follow("a", "b")]),
            (["c": "b"], "a", "c", [.follow("a", "b")]),
            (["c": "a"], "a", "b", [.follow("c", "b"), .follow("a", "b")]),
            (["c": "a", "d": "b"], "a", "d", [.follow("c", "b"), .follow("a", "b")]),
            (["a": "b"], "a", "b", []),
            (["a": "b", "c": "b"], "a", "c", []),
            (["a": "b"], "a", "c", [.follow("a", "c")]),
            (["b": "a"], "a", "b", [.handOver(from: "a", to: "b", isNeeded: true), .follow("a", "b")]),
            (
                ["b": "a", "c": "a"], "a", "b",
                [.handOver(from: "a", to: "b", isNeeded: true), .follow("c", "b"), .follow("a", "b")]
            ),
            (["a": "b"], "a", nil, [.handOver(from: "b", to: "a", isNeeded: false), .follow("a", nil)]),
            (["b": "a"], "a", nil, []),
        ] as [([String: String], String, String?, [GroupPlan.Step])])
    func steps_leadToTheWantedGroup(
        leaders: [String: String], player: String, wanted: String?, steps: [GroupPlan.Step]
    ) {
        #expect(GroupPlan(leaders: leaders).steps(player, follows: wanted) == steps)
    }

    @Test func nobodyFollowsAFollower_afterAnyChanges() {
        let ids = ["a", "b", "c", "d"]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            var leaders: [String: String] = [:]
            for _ in 0..<6 {
                guard let player = ids.randomElement(using: &random), let wanted = ids.randomElement(using: &random),
                    wanted != player
                else { continue }
                for step in GroupPlan(leaders: leaders).steps(player, follows: wanted) {
                    switch step {
                    case .follow(let id, let leader): leaders[id] = leader
                    case .handOver(_, let heir, _): leaders[heir] = nil
                    }
                }
                #expect(leaders[player] == wanted || leaders[player] == leaders[wanted], "\(leaders)")
                #expect(leaders.values.allSatisfy { leaders[$0] == nil }, "\(leaders)")
            }
        }
    }

    @Test(
        arguments: [
            (["b": "a"], [.handOver(from: "a", to: "b", isNeeded: false)]),
            (["c": "a", "b": "a"], [.handOver(from: "a", to: "b", isNeeded: false), .follow("c", "b")]),
            (["a": "b"], []), ([:], []),
        ] as [([String: String], [GroupPlan.Step])])
    func aGroup_keepsItsMusic_whenItsLeaderIsRemoved(leaders: [String: String], steps: [GroupPlan.Step]) {
        #expect(GroupPlan(leaders: leaders).steps(removing: "a") == steps)
    }

    @Test func aLevelStep_keepsDifferences() {
        #expect(PlayerGroups.step(0.1, [0.2, 0.5]) == 0.1)
        #expect(abs(PlayerGroups.step(0.3, [0.2, 0.9]) - 0.1) < 1e-9)
        #expect(PlayerGroups.step(-0.5, [0.2, 0.9]) == -0.2)
        #expect(PlayerGroups.step(0.1, [1, 0.5]) == 0)
    }
}
