// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// Resolves the addresses of one request, in order.
struct AddressWalk {
    private let resolver: ItemResolver
    private let cancellation: MediaCancellation
    var resolved = ResolvedItems()
    private var budget = ByteBudget.queue
    private var looks = 0
    private var checks = 0
    private var references = 0
    /// The item that is being resolved.
    private var item = (index: 0, member: "")
    /// Lists that failed; they are not read again.
    private var failures: [MediaLocator: MediaError] = [:]
    private let deadline: MonotonicTime
    private let fileDeadline: MonotonicTime
    /// Set by the first look-up on the web.
    private var webDeadline: MonotonicTime?

    init(resolver: ItemResolver, cancellation: MediaCancellation) {
        self.resolver = resolver
        self.cancellation = cancellation
        let now = MonotonicTime.now
        fileDeadline = now.advanced(bySeconds: ItemResolver.fileSeconds)
        deadline = now.advanced(bySeconds: Double(ItemResolver.requestSeconds))
    }

    private var media: any MediaAccess { resolver.media }
    private var rules: AddingRules { resolver.rules }

    /// `address`: as `ItemResolver.addresses` gives it.
    mutating func add(
        _ item: ItemRequest, at index: Int, _ address: MediaAddress?, _ place: MediaPlace?
    ) throws(ItemFault) {
        self.item = (index, item.member)
        if cancellation.isCancelled { throw ItemFault(index: index, member: item.member, cause: .cancelled) }
        do throws(Refusal) {
            switch item {
            case .uri(let uri): try add(ItemDraft(uri: uri), rules.expands, address, place)
            case .media(let draft, let expands): try add(draft, expands ?? rules.expands, address, place)
            case .library(let id) where id.kind == .track:
                for draft in try library(id, 1).found.items { try add(draft, rules.expands, nil, place) }
            case .unknown(_, let id): throw .init(cause: .unknown(id: id))
            case .folder, .list, .playlist, .library: try append(several: item)
            }
        } catch {
            throw ItemFault(index: index, member: item.member, cause: error.cause)
        }
    }

    /// The cause of a refusal, before the index of its item is known.
    private struct Refusal: Error {
        var cause: ItemFault.Cause
    }

    private func refusing<Value>(_ body: () throws(MediaError) -> Value) throws(Refusal) -> Value {
        do throws(MediaError) { return try body() } catch { throw Refusal(cause: .media(error)) }
    }

    // MARK: One address

    private mutating func add(
        _ draft: ItemDraft, _ expands: Bool, _ address: MediaAddress?, _ place: MediaPlace?
    ) throws(Refusal) {
        let address =
            if let address { address } else {
                try refusing { () throws(MediaError) in try media.address(draft.uri) }
            }
        switch place {
        case .folder?:
            try refer()
            return try append(try folder(draft.uri, room(expands)), expands, ItemSource(folder: draft.uri))
        case .unusable(let error)?: throw Refusal(cause: .media(error))
        case nil: break
        }
        let opens = rules.checks && checks < ItemResolver.mostLooks
        switch address.name {
        case .list:
            try refer()
            try look(draft, expands, patience: nil)
        case .media where opens:
            try address.isNetwork ? lookAtServer(draft, expands) : check(draft)
        case .other where address.isNetwork: try lookAtServer(draft, expands)
        case .other where .now < fileDeadline: try look(draft, expands, patience: nil)
        case .media, .other: try append(draft)
        }
    }

    /// Opens an item. Beyond the limit, items are accepted unopened.
    private mutating func check(_ draft: ItemDraft) throws(Refusal) {
        if checks < ItemResolver.mostLooks {
            checks += 1
            _ = try refusing { () throws(MediaError) in
                try media.describe(MediaLocator(draft), cancellation: cancellation)
            }
        }
        try append(draft)
    }

    /// A server that is unreachable now may be reachable when the item plays.
    private mutating func lookAtServer(_ draft: ItemDraft, _ expands: Bool) throws(Refusal) {
        let now = MonotonicTime.now
        let deadline = webDeadline ?? now.advanced(bySeconds: ItemResolver.webSeconds)
        webDeadline = deadline
        guard looks < ItemResolver.mostLooks, rules.checks || now < deadline else { return try append(draft) }
        looks += 1
        do throws(Refusal) {
            try look(draft, expands, patience: rules.checks ? nil : deadline.seconds(since: now))
        } catch {
            guard case .media(let fault) = error.cause, !cancellation.isCancelled else { throw error }
            let mayBeThereLater = fault.code == .network && !rules.checks
            guard mayBeThereLater || isKept(draft.uri) else { throw error }
            try append(draft)
        }
    }

    /// Counts one more folder, list or library entry.
    private mutating func refer() throws(Refusal) {
        references += 1
        guard references <= ItemResolver.mostReferences else {
            throw Refusal(cause: .tooManyReferences(limit: ItemResolver.mostReferences))
        }
    }

    /// Remaining seconds of this request.
    private func timeLeft() throws(Refusal) -> Double {
        let seconds = deadline.seconds(since: .now)
        guard seconds > 0 else { throw Refusal(cause: .outOfTime(seconds: ItemResolver.requestSeconds)) }
        return seconds
    }

    private mutating func read(
        _ locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double? = nil
    ) throws(Refusal) -> ListContent {
        let seconds = try timeLeft()
        if let failure = failures[locator] { throw Refusal(cause: .media(failure)) }
        do throws(MediaError) {
            let found = try media.media(
                ofList: locator, isGiven: isGiven, limit: limit, patience: min(patience ?? seconds, seconds),
                cancellation: cancellation)
            resolved.skipped.add(
                found.refused.map { ItemFault(index: item.index, member: item.member, cause: .media($0)) },
                count: found.refusedCount)
            return found
        } catch {
            failures[locator] = error
            throw Refusal(cause: .media(error))
        }
    }

    /// An item that is complete in the cache plays without its server.
    private func isKept(_ uri: String) -> Bool {
        resolver.cache?.status().entries.contains { $0.isComplete && $0.uri == uri } ?? false
    }

    private mutating func look(_ draft: ItemDraft, _ expands: Bool, patience: Double?) throws(Refusal) {
        let limit = room(expands)
        guard limit > 0 else { return resolved.isTruncated = true }
        let found = try read(MediaLocator(draft), isGiven: false, limit: limit, patience: patience)
        // The address is itself an item. If it is on a server, the look-up has read its first bytes.
        if rules.checks, found.items.count == 1, found.items[0].uri == draft.uri, !MediaLocator.isNetwork(draft.uri) {
            return try check(draft)
        }
        let described = found.items.count == 1 ? found.items.map { $0.described(by: draft) } : found.items
        try append((described, found.isTruncated), expands, found.items.count > 1 ? ItemSource(list: draft.uri) : nil)
    }

    // MARK: Addresses of several items

    private typealias Several = (items: [ItemDraft], isTruncated: Bool)
    private typealias Sourced = (found: Several, source: ItemSource?)

    /// The largest number of items to read from an address. Where one item is expected, two show that there are more.
    private func room(_ expands: Bool) -> Int {
        let rest = max(0, Queue.maximumLength - resolved.items.count)
        return expands ? rest : min(2, rest)
    }

    private mutating func append(several item: ItemRequest) throws(Refusal) {
        let (found, source) = try several(item)
        try append(found, rules.expands, source)
    }

    private mutating func several(_ item: ItemRequest) throws(Refusal) -> Sourced {
        let limit = room(rules.expands)
        guard limit > 0 else { return (([], true), nil) }
        try refer()
        _ = try timeLeft()
        switch item {
        case .uri, .media, .unknown: preconditionFailure("one address")
        case .folder(let path): return (try folder(path, limit), ItemSource(folder: path))
        case .list(let locator):
            let found = try read(locator, isGiven: true, limit: limit)
            return ((found.items, found.isTruncated), ItemSource(list: locator.uri))
        case .playlist(let id): return try playlist(id, limit)
        case .library(let id): return try library(id, limit)
        }
    }

    private func folder(_ path: String, _ limit: Int) throws(Refusal) -> Several {
        guard limit > 0 else { return ([], true) }
        let content = try refusing { () throws(MediaError) in try media.media(inFolder: path, limit: limit) }
        return (content.uris.map { ItemDraft(uri: $0) }, content.isTruncated)
    }

    private func playlist(_ id: PlaylistID, _ limit: Int) throws(Refusal) -> Sourced {
        guard let playlists = resolver.playlists else { throw Refusal(cause: .noPlaylists) }
        do throws(PlaylistError) {
            let (list, entries) = try playlists.playlist(id, offset: 0, limit: limit)
            return ((entries.map(ItemDraft.init), list.length > entries.count), ItemSource(list))
        } catch {
            throw Refusal(cause: .playlist(error, id))
        }
    }

    /// All media of an artist, album, genre or track, in their listed order.
    private func library(_ id: CatalogueID, _ limit: Int) throws(Refusal) -> Sourced {
        guard let library = resolver.library else { throw Refusal(cause: .noLibrary) }
        do throws(CatalogueError) {
            var filter = CatalogueFilter()
            let kind: ItemSource.Kind
            let name: String
            switch id.kind {
            case .track: return (([ItemDraft(uri: try library.track(id).uri)], false), nil)
            case .artist: (filter.artist, kind, name) = (id, .artist, try library.artist(id).name)
            case .album: (filter.album, kind, name) = (id, .album, try library.album(id).title)
            case .genre: (filter.genre, kind, name) = (id, .genre, try library.genre(id).name)
            }
            let page = try library.tracks(filter, CatalogueWindow(limit: limit))
            // An artist or album without tracks does not exist.
            if page.length == 0 { throw .unknown(id.description) }
            let items = page.entries.map { ItemDraft(uri: $0.uri) }
            return ((items, page.length > items.count), ItemSource(kind, id: id.description, name: name))
        } catch {
            throw Refusal(cause: .catalogue(error))
        }
    }

    private mutating func append(_ found: Several, _ expands: Bool, _ source: ItemSource?) throws(Refusal) {
        guard expands || found.items.count <= 1 && !found.isTruncated else { throw Refusal(cause: .severalItems) }
        try append(source == nil ? found.items : found.items.map { $0.source == nil ? $0.from(source) : $0 })
        if found.isTruncated { resolved.isTruncated = true }
    }

    private mutating func append(_ items: [ItemDraft]) throws(Refusal) {
        guard items.allSatisfy({ budget.take($0.bytes) }) else {
            throw Refusal(cause: .tooLarge(bytes: budget.limit))
        }
        resolved.items += items
    }

    /// As a list of one, without the list: most of a long request comes here.
    private mutating func append(_ item: ItemDraft) throws(Refusal) {
        guard budget.take(item.bytes) else { throw Refusal(cause: .tooLarge(bytes: budget.limit)) }
        resolved.items.append(item)
    }
}
