// SPDX-License-Identifier: Apache-2.0

import Announcing
import Library
import Logging
import Playback
import Recording
import RemoteAPI
import Session
import Synchronization
import Threading

/// The players of this server beside main: each with a queue, settings, output and state of its own.
///
/// `add` and `remove` come one at a time, from the API's thread for them.
final class ServerPlayers: PlayerRoster {
    /// Main is one of them.
    static let maximum = 16

    /// What a player is made of but for its state.
    struct Parts: Sendable {
        var environment: @Sendable (_ id: String, any PlayerStore) -> Player.Environment
        /// Of the outputs, whose list all players share.
        var main: Player
        var announcer: @Sendable (_ id: String, Player) -> Announcer
        var session: LiveSession
        var group: PlayerGroup
        var following: Following
        var sources: PlayerStreams
        /// nil when nothing is recorded.
        var streams: StreamRecorder?
        var directories: PlayerDirectories
        var log: Logger
    }

    private struct Member {
        var player: Player
        var store: StateStore
        var announcer: Announcer
    }

    private struct State {
        var members: [String: Member] = [:]
        /// Files that a disk would not let go of: their ids are not given again in this run.
        var stuck: Set<String> = []
        var api: RemoteAPI?
        var isEnding = false
    }

    private let parts: Parts
    private let state = Mutex(State())

    init(_ parts: Parts) {
        self.parts = parts
    }

    /// Starts the players that were there before. One whose state cannot be had stays away, and the others play.
    func restore(into api: RemoteAPI) {
        state.withLock { $0.api = api }
        let ids = parts.directories.recover { $0 != "main" && RemoteAPI.isPlayerID($0) }
        for id in ids.prefix(Self.maximum - 1) {
            do throws(StateStoreError) {
                try start(id)
            } catch {
                parts.log.error("a player cannot be started", metadata: ["player": "\(id)", "reason": "\(error)"])
            }
        }
        parts.following.settle()
        for id in ids.dropFirst(Self.maximum - 1) {
            parts.log.error("there are too many players; this one is left out", metadata: ["player": "\(id)"])
        }
    }

    func add(_ draft: PlayerDraft) throws(PlayerRosterProblem) -> String {
        let id = draft.id ?? freshID()
        let (count, isTaken, isStuck, isEnding) = state.withLock {
            ($0.members.count + 1, $0.members[id] != nil, $0.stuck.contains(id), $0.isEnding)
        }
        if id == "main" || isTaken { throw .exists(id) }
        if isEnding { throw .notPossible("The server is going down.") }
        if isStuck { throw .notPossible("The files of the last player \(id) are still in use; choose another id.") }
        guard count < Self.maximum else { throw .tooMany(maximum: Self.maximum) }
        // Without these it could not start, and a thread that is missing ends the process.
        guard SpareThreads.exist(4) else { throw .notPossible("This machine lets the server have no more threads.") }

        if let output = draft.output {
            let devices = parts.main.snapshot.output.devices.devices
            guard devices.contains(where: { $0.id == output }) else { throw .unknownOutput(output) }
        }
        do throws(StateStoreError) {
            try parts.directories.create(
                id, PlayerDirectories.Beginning(name: draft.name ?? id, output: draft.output))
            let output = Mailbox<Void>()
            try start(id) { output.post(()) }
            // So that who has the answer can choose among the outputs.
            _ = output.take(until: .now.advanced(bySeconds: 1))
        } catch {
            throw .notSaved("The player cannot be saved: \(error).")
        }
        state.withLock { $0.api }?.announce(id)
        return id
    }

    func remove(_ id: String) throws(PlayerRosterProblem) {
        guard id != "main" else { throw .isMain }
        guard let (member, api) = state.withLock({ state in state.members[id].map { ($0, state.api) } }) else {
            throw .unknown(id)
        }
        let files: String
        do throws(StateStoreError) {
            files = try parts.directories.remove(id)
        } catch {
            throw .notSaved("The player cannot be removed: \(error).")
        }
        // So that its own channel tells how what is recorded of it has ended.
        let saved = Mailbox<Void>()
        if let streams = parts.streams {
            streams.forget(id) { saved.post(()) }
            _ = saved.take(until: .now.advanced(bySeconds: 1))
        }
        // From here on it is gone, and only has to be ended.
        _ = state.withLock { $0.members.removeValue(forKey: id) }
        parts.sources.leave(id)
        let dismissed = api?.dismiss(id)
        parts.group.leave(id)
        parts.following.leave(id)
        let stopped = Mailbox<Void>()
        member.player.perform(.stop(drain: false)) { _ in stopped.post(()) }
        _ = stopped.take(until: .now.advanced(bySeconds: 1))
        // Silent already, however long its announcements take to end.
        member.announcer.shutdown(.playerRemoved)
        if let dismissed { api?.conclude(dismissed) }
        member.player.shutdown()
        // What was asked for in between.
        parts.streams?.forget(id) {}
        // It refers to the channel, which refers to the player.
        member.player.observe { _ in }
        parts.session.forget(id)
        if !member.store.close() { state.withLock { _ = $0.stuck.insert(id) } }
        parts.directories.clear(files)
    }

    /// For the session's observer.
    func sessionChanged(_ status: SessionStatus) {
        // Within the lock: a player that is being made hears of it either here or from `start`, and never of an older one last.
        state.withLock { state in
            for member in state.members.values { member.announcer.obey(SessionRules(besideMusic: status)) }
        }
    }

    func offset(of id: String) -> Double? { parts.following.offset(of: id) }

    func interrupt(_ notice: InterruptionNotice, done: @escaping @Sendable () -> Void) {
        parts.group.tell(.interruption(notice), done: done)
    }

    /// What they announce ends, and that is told. Returns at once.
    func endSounds(_ parts: inout PartsEnding) {
        for member in state.withLock({ Array($0.members.values) }) { parts.begin { member.announcer.endSounds() } }
    }

    /// Begins to end them, all at once; each fades and is saved, and beside it what it announces ends. Returns at once.
    func beginEnd(_ parts: inout PartsEnding) {
        let members = state.withLock { state in
            state.isEnding = true
            return Array(state.members.values)
        }
        for member in members {
            parts.begin {
                member.player.shutdown()
                member.store.close()
            }
        }
        for member in members { parts.begin { member.announcer.shutdown() } }
    }

    /// `outputKnown` is called at least once: when the outputs are known, or why there are none.
    private func start(_ id: String, outputKnown: @escaping @Sendable () -> Void = {}) throws(StateStoreError) {
        let store = try StateStore(directory: parts.directories.path(id), logger: parts.log)
        let beginning = parts.directories.beginning(of: id) ?? PlayerDirectories.Beginning(name: id)
        let player = Player(parts.environment(id, NamedStore(store, beginning)))
        parts.group.join(id) { command, done in player.perform(command) { _ in done() } }
        parts.sources.join(id, player)
        let (api, session, following) = (state.withLock { $0.api }, parts.session, parts.following)
        let (announcer, streams) = (parts.announcer(id, player), parts.streams)
        let told = api?.admit(id, player, announcer: announcer)
        player.observe { event in
            told?(event)
            session.receive(event, of: id)
            following.receive(event, of: id)
            streams?.receive(event, of: id)
            if case .output = event.kind { outputKnown() }
        }
        let snapshot = player.snapshot
        session.receive(snapshot, of: id)
        if !snapshot.output.devices.devices.isEmpty || snapshot.output.availability != .available { outputKnown() }
        state.withLock { state in
            state.members[id] = Member(player: player, store: store, announcer: announcer)
            announcer.obey(SessionRules(besideMusic: session.status))
        }
        following.join(id, player)
    }

    /// Short, and not one that a client may still hold of a player that was removed.
    private func freshID() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        while true {
            let id = String((0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] })
            if !state.withLock({ $0.members[id] != nil || $0.stuck.contains(id) }) { return id }
        }
    }
}
