// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

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
    /// Files that are looked up in the kernel's caches, on the client's thread.
    static let mostAtHand = 8
    /// Folders, lists, playlists and entries of the library that one request may name; tracks do not count.
    static let mostReferences = 200
    /// For all that one request looks up.
    static let requestSeconds = 20

    let media: any MediaCatalogue
    let library: (any MusicLibrary)?
    let playlists: (any PlaylistKeeper)?
    let cache: (any CacheKeeper)?

    /// `areFiles`: as `areAtHand` has found; then it does not block.
    func resolve(
        _ items: [ItemRequest], _ rules: AddingRules, _ cancellation: MediaCancellation = MediaCancellation(),
        areFiles: Bool = false
    ) throws(ItemFault) -> ResolvedItems {
        var walk = AddressWalk(resolver: self, rules: rules, cancellation: cancellation)
        walk.resolved.items.reserveCapacity(items.count)
        let places = areFiles ? [:] : try places(of: items, cancellation)
        for (index, item) in items.enumerated() {
            do throws(ItemFault) {
                try walk.add(item, at: index, places[index])
            } catch {
                guard rules.skipsFaults, error.canBeSkipped else { throw error }
                walk.resolved.skipped.add(error)
            }
        }
        return walk.resolved
    }

    /// Whether all are files that can be played by their names, and known to be there without a look at the disk. Does not block.
    func areAtHand(_ items: [ItemRequest], _ rules: AddingRules) -> Bool {
        guard !rules.checks, items.count <= Self.mostAtHand else { return false }
        return items.allSatisfy { item in
            guard let uri = item.directAddress, !media.isNetwork(uri), !isReference(uri) else { return false }
            return media.isFileAtHand(uri)
        }
    }

    /// Whether `resolve` may wait for the disk.
    func readsFiles(_ item: ItemRequest) -> Bool {
        guard let uri = item.directAddress else { return true }
        return !media.isNetwork(uri)
    }

    /// Whether `resolve` reads several folders or lists. Such requests share a part of the threads.
    func readsSeveral(_ items: [ItemRequest]) -> Bool {
        var references = items.lazy.filter(isReference).makeIterator()
        return references.next() != nil && references.next() != nil
    }

    private func isReference(_ item: ItemRequest) -> Bool {
        switch item {
        case .folder, .list, .playlist: return true
        case .library(let id): return id.kind != .track
        case .unknown: return false
        case .uri(let uri): return isReference(uri)
        case .media(let draft, expands: _): return isReference(draft.uri)
        }
    }

    private func isReference(_ uri: String) -> Bool {
        do throws(MediaError) {
            return try media.address(uri).name != .media
        } catch {
            return false
        }
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
    ) throws(ItemFault) -> [Int: MediaPlace] {
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
