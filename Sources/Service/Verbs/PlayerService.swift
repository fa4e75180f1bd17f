// SPDX-License-Identifier: Apache-2.0

public import Kernel
public import Playback

/// The verbs of one player, for every remote interface. Any thread; no verb blocks.
public struct PlayerService: Sendable {
    /// An item and its index in the queue.
    public typealias QueuedItem = (item: QueueItem, index: Int, revision: QueueRevision)

    public let id: String
    public let player: any PlayerControl
    public let server: ServerService
    /// The sounds beside this player's music; nil if the server has none.
    public let announcer: Announcer?

    public init(_ id: String, _ player: any PlayerControl, announcer: Announcer? = nil, server: ServerService) {
        self.id = id
        self.player = player
        self.announcer = announcer
        self.server = server
    }

    /// The newest published state.
    public var snapshot: PlayerSnapshot { player.snapshot }

    /// Transport, settings, outputs and edits of the queue; replies with the new state.
    public func perform(_ command: PlayerCommand, reply: @escaping ServiceReply<PlayerSnapshot>) {
        if case .apply(let patch) = command, let leader = patch.leader ?? nil {
            do throws(Problem) { try check(leader: leader) } catch { return reply(.failure(error)) }
        }
        guard case .edit = command else {
            return player.perform(command) { reply($0.mapError { removed(Problem($0)) }) }
        }
        let length = snapshot.queueLength
        player.perform(command) { [self] result in
            reply(result.mapError { removed(Problem($0)) })
            if case .success(let after) = result { server.queueChanged(from: length, to: after.queueLength) }
        }
    }

    /// The end of a removed player is not that of the server.
    func removed(_ problem: Problem) -> Problem {
        guard problem.code == "shutting-down", let roster = server.parts.roster, !roster.hasPlayer(id) else {
            return problem
        }
        return .unknownPlayer(id)
    }

    /// An interruption concerns all players.
    public func interrupt(_ notice: InterruptionNotice, reply: @escaping ServiceReply<PlayerSnapshot>) {
        guard let roster = server.parts.roster else { return perform(.interruption(notice), reply: reply) }
        roster.interrupt(notice) { reply(.success(snapshot)) }
    }

    // MARK: Queue

    public func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        player.queueWindow(offset: offset, limit: limit)
    }

    public func queueItem(_ id: ItemID) -> QueuedItem? { player.queueItem(id) }

    public func item(_ id: ItemID) throws(Problem) -> QueuedItem {
        try queueItem(id).orThrow(.unknownItem(id.description))
    }

    /// Calls with the catalogue's details of these items: at once if they are cached, else from the library's thread.
    /// If that thread is overloaded, the items are shown without details.
    public func withDetails(of items: [QueueItem], _ use: @escaping @Sendable ([PathKey: TrackDetails]) -> Void) {
        let details = server.details
        if let found = details.complete(items) { return use(found) }
        let isTaken = server.libraryWorker.submit { use(details.read(items)) }
        if !isTaken { use(details.atHand(items)) }
    }
}
