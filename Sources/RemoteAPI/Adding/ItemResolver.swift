// SPDX-License-Identifier: Apache-2.0

import Catalogue
import Playback
import Threading

/// Makes items of addresses: refuses what cannot be played where that is known at once, and finds out by content whether an
/// address is a media, a folder, a list or a feed. The one way into queues and playlists, for every remote interface.
///
/// Blocks on disks and servers, each within a limit.
struct ItemResolver: Sendable {
    /// Web addresses without a name of audio or a list, and media that are checked. Further ones are taken by their names.
    static let mostLooks = 8
    /// For all such web addresses together.
    static let webSeconds = 5.0
    /// For looking files up. What a slow disk does not answer by then is found out when its turn comes.
    static let fileSeconds = 2.0
    /// From here on the catalogue is asked before the disk.
    static let manyFiles = 64

    let media: any MediaCatalogue
    let library: (any MusicLibrary)?
    let playlists: (any PlaylistKeeper)?
    let cache: (any CacheKeeper)?

    func resolve(
        _ items: [ItemRequest], _ rules: AddingRules, _ cancellation: MediaCancellation = MediaCancellation()
    ) throws(ItemFault) -> ResolvedItems {
        var walk = Walk(resolver: self, rules: rules, cancellation: cancellation)
        walk.resolved.items.reserveCapacity(items.count)
        let places = try places(of: items, cancellation)
        for (index, item) in items.enumerated() {
            do throws(ItemFault) {
                try walk.add(item, at: index, places[index])
            } catch {
                guard rules.skipsFaults, error.canBeSkipped else { throw error }
                walk.resolved.skip(error)
            }
        }
        return walk.resolved
    }

    /// Whether `resolve` may wait for the disk.
    func readsFiles(_ item: ItemRequest) -> Bool {
        guard let uri = item.directAddress else { return true }
        return !media.isNetwork(uri)
    }

    /// The web addresses that `resolve` waits for.
    func asksServers(for items: [ItemRequest], _ rules: AddingRules) -> [String] {
        items.compactMap { item in
            guard let uri = item.address, media.isNetwork(uri) else { return nil }
            if case .list = item { return uri }
            do throws(MediaError) {
                return try media.address(uri).name == .media && !rules.checks ? nil : uri
            } catch {
                return nil
            }
        }
    }

    // MARK: Files

    /// Folders among the addresses, and files that are not there, by index; everything else is left out.
    private func places(
        of items: [ItemRequest], _ cancellation: MediaCancellation
    ) throws(ItemFault) -> [Int: Result<MediaPlace, MediaError>] {
        var indices: [Int] = []
        var uris: [String] = []
        for (index, item) in items.enumerated() {
            guard let uri = item.directAddress, !media.isNetwork(uri) else { continue }
            // An address that cannot be one is refused in its turn.
            indices.append(index)
            uris.append(uri)
        }
        if uris.count >= Self.manyFiles, let library {
            do throws(CatalogueError) {
                let unknown = try library.unlisted(uris)
                indices = unknown.map { indices[$0] }
                uris = unknown.map { uris[$0] }
            } catch {
                // Without the catalogue all are looked up on the disk.
            }
        }
        guard !uris.isEmpty else { return [:] }
        let found = media.places(of: uris, seconds: Self.fileSeconds, cancellation: cancellation)
        return Dictionary(uniqueKeysWithValues: found.map { (indices[$0.key], $0.value) })
    }
}

/// One request's way through its addresses.
private struct Walk {
    let resolver: ItemResolver
    let rules: AddingRules
    let cancellation: MediaCancellation
    var resolved = ResolvedItems()
    private var budget = ByteBudget.queue
    private var looks = 0
    private var checks = 0
    private let fileDeadline: MonotonicTime
    /// Begins with the first look.
    private var webDeadline: MonotonicTime?

    init(resolver: ItemResolver, rules: AddingRules, cancellation: MediaCancellation) {
        self.resolver = resolver
        self.rules = rules
        self.cancellation = cancellation
        fileDeadline = .now.advanced(bySeconds: ItemResolver.fileSeconds)
    }

    private var media: any MediaCatalogue { resolver.media }

    mutating func add(
        _ item: ItemRequest, at index: Int, _ place: Result<MediaPlace, MediaError>?
    ) throws(ItemFault) {
        if cancellation.isCancelled { throw ItemFault(index: index, member: item.member, cause: .cancelled) }
        do throws(Refusal) {
            switch item {
            case .uri(let uri): try add(ItemDraft(uri: uri), rules.expands, place)
            case .media(let draft, let expands): try add(draft, expands ?? rules.expands, place)
            case .library(let id) where id.kind == .track:
                for draft in try library(id, 1).items { try add(draft, rules.expands, place) }
            case .folder, .list, .playlist, .library: try append(try several(item), rules.expands)
            }
        } catch {
            throw ItemFault(index: index, member: item.member, cause: error.cause)
        }
    }

    /// A cause on its way to the item that it belongs to.
    private struct Refusal: Error {
        var cause: ItemFault.Cause
    }

    private func refusing<Value>(_ body: () throws(MediaError) -> Value) throws(Refusal) -> Value {
        do throws(MediaError) { return try body() } catch { throw Refusal(cause: .media(error)) }
    }

    // MARK: One address

    private mutating func add(
        _ draft: ItemDraft, _ expands: Bool, _ place: Result<MediaPlace, MediaError>?
    ) throws(Refusal) {
        let address = try refusing { () throws(MediaError) in try media.address(draft.uri) }
        switch place {
        case .success(.folder)?:
            return try append(try folder(draft.uri, room(expands)), expands)
        case .failure(let error)?:
            guard rules.keepsMissing, error.code == .notFound else { throw Refusal(cause: .media(error)) }
            return try append([draft])
        case .success(.file)?, nil: break
        }
        let opens = rules.checks && checks < ItemResolver.mostLooks
        switch address.name {
        case .list: try look(draft, expands, patience: nil)
        case .media where opens:
            checks += 1
            try address.isNetwork ? lookAtServer(draft, expands) : check(draft)
        case .other where address.isNetwork: try lookAtServer(draft, expands)
        case .other where .now < fileDeadline: try look(draft, expands, patience: nil)
        case .media, .other: try append([draft])
        }
    }

    /// Files only: the web's are looked at.
    private mutating func check(_ draft: ItemDraft) throws(Refusal) {
        _ = try refusing { () throws(MediaError) in
            try media.describe(MediaLocator(uri: draft.uri, headers: draft.headers), cancellation: cancellation)
        }
        try append([draft])
    }

    /// A server that cannot be reached now may be there when the item's turn comes.
    private mutating func lookAtServer(_ draft: ItemDraft, _ expands: Bool) throws(Refusal) {
        let now = MonotonicTime.now
        let deadline = webDeadline ?? now.advanced(bySeconds: ItemResolver.webSeconds)
        webDeadline = deadline
        guard looks < ItemResolver.mostLooks, rules.checks || now < deadline else { return try append([draft]) }
        looks += 1
        do throws(Refusal) {
            try look(draft, expands, patience: rules.checks ? nil : deadline.seconds(since: now))
        } catch {
            guard case .media(let fault) = error.cause, !cancellation.isCancelled else { throw error }
            let mayBeThereLater = fault.code == .network && !rules.checks
            guard mayBeThereLater || isKept(draft.uri) else { throw error }
            try append([draft])
        }
    }

    /// What is kept as a whole plays without its server.
    private func isKept(_ uri: String) -> Bool {
        resolver.cache?.status().entries.contains { $0.isComplete && $0.uri == uri } ?? false
    }

    private mutating func look(_ draft: ItemDraft, _ expands: Bool, patience: Double?) throws(Refusal) {
        let limit = room(expands)
        guard limit > 0 else { return resolved.isTruncated = true }
        let found: ListContent
        do throws(MediaError) {
            found = try media.media(
                ofList: MediaLocator(uri: draft.uri, headers: draft.headers), isGiven: false, limit: limit,
                patience: patience, cancellation: cancellation)
        } catch {
            guard rules.keepsMissing, error.code == .notFound, !media.isNetwork(draft.uri) else {
                throw Refusal(cause: .media(error))
            }
            return try append([draft])
        }
        let described = found.items.count == 1 ? found.items.map { $0.described(by: draft) } : found.items
        try append((described, found.isTruncated), expands)
    }

    // MARK: What stands for several

    private typealias Several = (items: [ItemDraft], isTruncated: Bool)

    /// How many items an address may come to. Where one is wanted, two show that there are more.
    private func room(_ expands: Bool) -> Int {
        let rest = max(0, Queue.maximumLength - resolved.items.count)
        return expands ? rest : min(2, rest)
    }

    private func several(_ item: ItemRequest) throws(Refusal) -> Several {
        let limit = room(rules.expands)
        guard limit > 0 else { return ([], true) }
        switch item {
        case .uri, .media: preconditionFailure("one address")
        case .folder(let path): return try folder(path, limit)
        case .list(let locator):
            let found = try refusing { () throws(MediaError) in
                try media.media(
                    ofList: locator, isGiven: true, limit: limit, patience: nil, cancellation: cancellation)
            }
            return (found.items, found.isTruncated)
        case .playlist(let id): return try playlist(id, limit)
        case .library(let id): return try library(id, limit)
        }
    }

    private func folder(_ path: String, _ limit: Int) throws(Refusal) -> Several {
        guard limit > 0 else { return ([], true) }
        let content = try refusing { () throws(MediaError) in try media.media(inFolder: path, limit: limit) }
        return (content.uris.map { ItemDraft(uri: $0) }, content.isTruncated)
    }

    private func playlist(_ id: PlaylistID, _ limit: Int) throws(Refusal) -> Several {
        guard let playlists = resolver.playlists else { throw Refusal(cause: .noPlaylists) }
        do throws(PlaylistError) {
            let (list, entries) = try playlists.playlist(id, offset: 0, limit: limit)
            return (entries.map(ItemDraft.init), list.length > entries.count)
        } catch {
            throw Refusal(cause: .playlist(error, id))
        }
    }

    /// All media of an artist, album, genre or track, in the order in which they are listed.
    private func library(_ id: CatalogueID, _ limit: Int) throws(Refusal) -> Several {
        guard let library = resolver.library else { throw Refusal(cause: .noLibrary) }
        do throws(CatalogueError) {
            var filter = CatalogueFilter()
            switch id.kind {
            case .track: return ([ItemDraft(uri: try library.track(id).uri)], false)
            case .artist: filter.artist = try library.artist(id).id
            case .album: filter.album = try library.album(id).id
            case .genre: filter.genre = id
            }
            let page = try library.tracks(filter, CatalogueWindow(limit: limit))
            // An artist or album has tracks, or it would not be there.
            if page.length == 0 { throw .unknown(id.description) }
            return (page.entries.map { ItemDraft(uri: $0.uri) }, page.length > page.entries.count)
        } catch {
            throw Refusal(cause: .catalogue(error))
        }
    }

    private mutating func append(_ found: Several, _ expands: Bool) throws(Refusal) {
        guard expands || found.items.count <= 1 && !found.isTruncated else { throw Refusal(cause: .severalItems) }
        try append(found.items)
        if found.isTruncated { resolved.isTruncated = true }
    }

    private mutating func append(_ items: [ItemDraft]) throws(Refusal) {
        guard items.allSatisfy({ budget.take($0.bytes) }) else {
            throw Refusal(cause: .tooLarge(bytes: budget.limit))
        }
        resolved.items += items
    }
}
