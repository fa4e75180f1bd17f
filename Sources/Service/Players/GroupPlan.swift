// SPDX-License-Identifier: Apache-2.0

/// Which steps lead to a wanted group, as a pure decision. A group has one leader; nobody follows a follower.
struct GroupPlan {
    enum Step: Hashable {
        /// The player follows that one, or nobody.
        case follow(String, String?)
        /// A follower of the first one takes over its queue and follows nobody. Without `isNeeded`, a failure changes nothing
        /// about the steps behind it.
        case handOver(from: String, to: String, isNeeded: Bool)
    }

    /// By the id of the follower.
    var leaders: [String: String]

    /// The player asked to follow `wanted`, or nobody.
    func steps(_ player: String, follows wanted: String?) -> [Step] {
        guard let wanted else {
            // Its music goes on, with all that was to come.
            return leaders[player].map { [.handOver(from: $0, to: player, isNeeded: false), .follow(player, nil)] }
                ?? []
        }
        let followers = leaders.filter { $0.value == player }.keys.sorted()
        if leaders[wanted] == player {
            // The heads swap, and the group stays.
            let others = followers.filter { $0 != wanted }
            return [.handOver(from: player, to: wanted, isNeeded: true)]
                + (others + [player]).map { .follow($0, wanted) }
        }
        let head = leaders[wanted] ?? wanted
        guard head != player, head != leaders[player] else { return [] }
        return (followers + [player]).map { .follow($0, head) }
    }

    /// What keeps a group together whose leader is removed: one of its followers leads.
    func steps(removing player: String) -> [Step] {
        let followers = leaders.filter { $0.value == player }.keys.sorted()
        guard let heir = followers.first else { return [] }
        return [.handOver(from: player, to: heir, isNeeded: false)] + followers.dropFirst().map { .follow($0, heir) }
    }

    /// The leaders once the steps are done.
    func leaders(after steps: [Step]) -> [String: String] {
        steps.reduce(into: leaders) { leaders, step in
            switch step {
            case .follow(let id, let leader): leaders[id] = leader
            case .handOver(_, let heir, _): leaders[heir] = nil
            }
        }
    }
}
