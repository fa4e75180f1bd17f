// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Performs the steps of a `GroupPlan`, one after another; a failure ends them. `done` is called once, with the failure.
enum GroupSteps {
    typealias Done = @Sendable (PlaybackError?) -> Void

    static func perform(
        _ steps: ArraySlice<GroupPlan.Step>, _ players: [String: HostedPlayer], done: @escaping Done
    ) {
        guard let step = steps.first else { return done(nil) }
        let next: Done = { failure in
            if failure != nil { return done(failure) }
            perform(steps.dropFirst(), players, done: done)
        }
        switch step {
        case .follow(let id, let leader):
            guard let player = players[id]?.player else { return next(nil) }
            var patch = SettingsPatch()
            patch.leader = .some(leader)
            send([(player, .apply(patch))], done: next)
        case .handOver(let id, let to, let isNeeded):
            guard let head = players[id]?.player, let heir = players[to]?.player else { return next(nil) }
            let ended: Done = { next(isNeeded ? $0 : nil) }
            // The first answer means that its follower no longer commands the heir, the second that the follower's last
            // command is done.
            let order = Handover(from: head, to: heir).order
            send([(heir, .apply(order)), (heir, .apply(SettingsPatch()))]) { failure in
                if failure != nil { return ended(failure) }
                let handover = Handover(from: head, to: heir)
                send([(heir, handover.edit)]) { failure in
                    if failure != nil { return ended(failure) }
                    let transport = handover.transport(at: .now)
                    // A missing file stops the music, as it would have without a handover.
                    send(transport.map { (heir, $0) }[...]) { _ in next(nil) }
                }
            }
        }
    }

    static func send(_ commands: ArraySlice<(Player, PlayerCommand)>, done: @escaping Done) {
        guard let (player, command) = commands.first else { return done(nil) }
        player.perform(command) { result in
            if case .failure(let error) = result { return done(error) }
            send(commands.dropFirst(), done: done)
        }
    }
}

extension GroupPlan.Step {
    var isHandover: Bool { if case .handOver = self { true } else { false } }
}
