// SPDX-License-Identifier: Apache-2.0

import Playback
import Service
import Synchronization
import ServiceTesting

@testable import RemoteAPI

/// A roster of scripted players.
final class ScriptedRoster: PlayerRoster {
    struct State {
        var players: [String: ScriptedPlayer] = [:]
        var drafts: [PlayerDraft] = []
        var notices: [InterruptionNotice] = []
        var problem: Problem?
    }

    let state = Mutex(State())
    private let api = Mutex<RemoteAPI?>(nil)

    func begin(_ api: RemoteAPI) { self.api.withLock { $0 = api } }

    subscript(id: String) -> ScriptedPlayer? { state.withLock { $0.players[id] } }

    func add(_ draft: PlayerDraft) throws(Problem) -> String {
        if let problem = state.withLock({ $0.problem }) { throw problem }
        let id = draft.id ?? "fresh"
        let player = ScriptedPlayer(items: 2)
        player.change { $0.settings.name = draft.name ?? id }
        state.withLock {
            $0.players[id] = player
            $0.drafts.append(draft)
        }
        let api = api.withLock { $0 }
        api?.admit(id, player)
        player.observe { api?.observe(.player($0, of: id)) }
        api?.announce(id)
        return id
    }

    func remove(_ id: String) throws(Problem) {
        guard let player = state.withLock({ $0.players.removeValue(forKey: id) }) else { throw .unknownPlayer(id) }
        let api = api.withLock { $0 }
        api?.dismiss(id)
        api?.conclude(id)
        player.observe(nil)
    }

    func hasPlayer(_ id: String) -> Bool { id == "main" || self[id] != nil }

    func offset(of id: String) -> Double? { nil }

    func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void) {
        state.withLock { $0.notices.append(notice) }
        done()
    }
}
