// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Items to add to the queue, or to replace it with.
public struct Addition: Sendable {
    public enum Place: Hashable, Sendable {
        case insert(InsertionPoint)
        /// Replaces the queue; `current`: the index of the new current item, nil for the first.
        case replace(current: Int?)
    }

    public var items: [ItemRequest]
    public var place: Place
    public var plays: Bool
    public var rules: AddingRules
    /// The required revision of the queue; nil: any.
    public var expected: QueueRevision?

    public init(
        _ items: [ItemRequest], _ place: Place = .insert(.end), plays: Bool = false,
        rules: AddingRules = AddingRules(), expected: QueueRevision? = nil
    ) {
        self.items = items
        self.place = place
        self.plays = plays
        self.rules = rules
        self.expected = expected
    }
}

/// The state after adding, and the resolved items.
public typealias AddedItems = (snapshot: PlayerSnapshot, found: ResolvedItems)

extension PlayerService {
    public func add(_ addition: Addition, for caller: Caller, reply: @escaping ServiceReply<AddedItems>) {
        // Checked before any address is examined.
        let length = snapshot.queueLength
        if case .insert(.index(let index)) = addition.place, index > length {
            let detail = "There is no position \(index) in a queue of \(length) items."
            return reply(.failure(Problem(PlaybackError(.outOfRange, detail, member: "position"))))
        }
        server.resolve(addition.items, addition.rules, for: caller) { result in
            attempt(reply) { () throws(Problem) in
                let found = try result.get()
                let edit = try Self.edit(found, addition.place)
                perform(.edit(edit, expected: addition.expected, play: addition.plays)) { result in
                    reply(result.map { ($0, found) })
                }
            }
        }
    }

    /// Replaces the queue with a saved playlist and plays it from `index` on.
    public func play(_ playlist: PlaylistID, from index: Int?, reply: @escaping ServiceReply<PlayerSnapshot>) {
        server.playlist(playlist, offset: 0, limit: .max) { result in
            attempt(reply) { () throws(Problem) in
                let found = try result.get()
                let source = ItemSource(found.list)
                let drafts = found.entries.map { ItemDraft($0).from(source) }
                guard !drafts.isEmpty else {
                    throw Problem(.conflict, "playlist-empty", "The playlist is empty.")
                }
                if let index, index >= drafts.count {
                    throw .invalid("index", "index must be less than the number of items.")
                }
                perform(.edit(.replace(drafts, startIndex: index), expected: nil, play: true), reply: reply)
            }
        }
    }

    private static func edit(_ found: ResolvedItems, _ place: Addition.Place) throws(Problem) -> QueueEdit {
        switch place {
        case .insert(let point): return .insert(found.items, at: point)
        case .replace(let current):
            try found.checkRest()
            if let current, current >= found.items.count {
                throw .invalid("index", "index must be less than the number of items.")
            }
            return .replace(found.items, startIndex: current)
        }
    }
}

extension ServerService {
    /// Resolves addresses to items. Web addresses have separate threads, so that adding a file never waits for a
    /// server. A few files that are in the kernel's cache need no thread.
    func resolve(
        _ items: [ItemRequest], _ rules: AddingRules, for caller: Caller, reply: @escaping ServiceReply<ResolvedItems>
    ) {
        var opened = items
        for index in items.indices where SealedAddresses.isReference(items[index]) {
            guard let item = parts.sealed.opened(items[index]) else {
                return reply(.failure(.unknownReference("items[\(index)].uri")))
            }
            opened[index] = item
        }
        let resolver = ItemResolver(
            opened, rules, media: parts.media, library: parts.library, playlists: parts.playlists, cache: parts.cache)
        let areAtHand = resolver.areAtHand
        let resolve = { @Sendable (cancellation: MediaCancellation) throws(Problem) -> ResolvedItems in
            do throws(ItemFault) {
                return try resolver.resolve(cancellation, areFiles: areAtHand)
            } catch {
                throw Problem(error)
            }
        }
        let servers = resolver.servers
        if !areAtHand, !servers.isEmpty || resolver.readsFiles {
            var shares = shares(ofServersOf: servers)
            if resolver.readsSeveral { shares.append(.severalReferences) }
            open(
                for: caller, on: servers.isEmpty ? mediaWorker : listWorker, shares: shares, reply: reply, resolve)
        } else {
            reply(Result { () throws(Problem) in try resolve(MediaCancellation()) })
        }
    }
}

extension Problem {
    static func unknownReference(_ member: String) -> Problem {
        Problem(.unknown, "unknown-reference", "This reference is not from this server.", member: member)
    }
}

extension JobShare {
    /// Limits requests that read many folders and lists, so that threads stay free for short ones.
    fileprivate static let severalReferences = JobShare(name: "several references", running: 1, waiting: 8)
}
