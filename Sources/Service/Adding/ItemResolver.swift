// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Resolves the addresses of one request to items: refuses media that are known to be unplayable, and detects by content whether an
/// address is one item, a folder, a list or a feed. Every remote interface adds to queues and playlists through it.
///
/// Blocks on disks and servers, each within a limit.
struct ItemResolver: Sendable {
    /// Web addresses without the name of an audio file or list, and media to be checked. Further ones are judged by
    /// their names.
    static let mostLooks = 8
    /// Time limit for all these web addresses together.
    static let webSeconds = 5.0
    /// Time limit for looking up files. Files on a slower disk are accepted; a fault shows when they are played.
    static let fileSeconds = 2.0
    /// From this number of files on, the catalogue is asked before the disk.
    static let manyFiles = 64
    /// Files that are looked up in the kernel's caches, on the client's thread.
    static let mostAtHand = 8
    /// Folders, lists, playlists and library entries that one request may name; tracks do not count.
    static let mostReferences = 200
    /// Time limit for all look-ups of one request.
    static let requestSeconds = 20

    let media: any MediaAccess
    let library: (any MusicLibrary)?
    let playlists: (any PlaylistKeeper)?
    let cache: (any CacheKeeper)?
    let rules: AddingRules
    /// Each with its kind by the spelling of its one address; nil for several items, and for malformed addresses, which
    /// `resolve` refuses in order.
    private let items: [(request: ItemRequest, address: MediaAddress?)]

    init(
        _ items: [ItemRequest], _ rules: AddingRules, media: any MediaAccess, library: (any MusicLibrary)? = nil,
        playlists: (any PlaylistKeeper)? = nil, cache: (any CacheKeeper)? = nil
    ) {
        (self.media, self.library, self.playlists, self.cache, self.rules) = (media, library, playlists, cache, rules)
        self.items = items.map { item in
            do throws(MediaError) {
                return (item, try item.directAddress.map { (uri) throws(MediaError) in try media.address(uri) })
            } catch {
                return (item, nil)
            }
        }
    }

    /// `areFiles`: the result of `areAtHand`; if true, this does not block.
    func resolve(
        _ cancellation: MediaCancellation = MediaCancellation(), areFiles: Bool = false
    ) throws(ItemFault) -> ResolvedItems {
        var walk = AddressWalk(resolver: self, cancellation: cancellation)
        walk.resolved.items.reserveCapacity(items.count)
        let places = areFiles ? [:] : try places(cancellation)
        for (index, item) in items.enumerated() {
            do throws(ItemFault) {
                try walk.add(item.request, at: index, item.address, places[index])
            } catch {
                guard rules.skipsFaults, error.canBeSkipped else { throw error }
                walk.resolved.skipped.add(error)
            }
        }
        return walk.resolved
    }

    /// Whether all items have the names of audio files, and are known to exist without reading the disk. Does not
    /// block.
    var areAtHand: Bool {
        guard !rules.checks, items.count <= Self.mostAtHand else { return false }
        return items.allSatisfy { item in
            guard let uri = item.request.directAddress, item.address == MediaAddress(name: .media) else { return false }
            return media.isFileAtHand(uri)
        }
    }

    /// Whether `resolve` may wait for the disk.
    var readsFiles: Bool {
        items.contains { item in item.request.directAddress.map { !MediaLocator.isNetwork($0) } ?? true }
    }

    /// Whether `resolve` reads several folders or lists. Such requests share a part of the threads.
    var readsSeveral: Bool {
        var references = items.lazy.filter { item in
            switch item.request {
            case .folder, .list, .playlist: true
            case .library(let id): id.kind != .track
            case .unknown: false
            case .uri, .media: item.address.map { $0.name != .media } ?? false
            }
        }.makeIterator()
        return references.next() != nil && references.next() != nil
    }

    /// The web addresses that `resolve` waits for.
    var servers: [String] {
        items.compactMap { item in
            switch item.request {
            case .uri, .media:
                guard let address = item.address, address.isNetwork, address.name != .media || rules.checks else {
                    return nil
                }
                return item.request.directAddress
            case .list(let locator): return MediaLocator.isNetwork(locator.uri) ? locator.uri : nil
            case .folder, .playlist, .library, .unknown: return nil
            }
        }
    }

    // MARK: Files

    /// Folders among the addresses, and missing files, by index. Other files are left out.
    private func places(_ cancellation: MediaCancellation) throws(ItemFault) -> [Int: MediaPlace] {
        var indices: [Int] = []
        var uris: [String] = []
        for (index, item) in items.enumerated() {
            guard let uri = item.request.directAddress, item.address?.isNetwork == false else { continue }
            indices.append(index)
            uris.append(uri)
        }
        if uris.count >= Self.manyFiles, let library {
            do throws(CatalogueError) {
                let unknown = try library.unlisted(uris)
                indices = unknown.map { indices[$0] }
                uris = unknown.map { uris[$0] }
            } catch {
                // Without the catalogue all files are looked up on the disk.
            }
        }
        guard !uris.isEmpty else { return [:] }
        let found = media.places(of: uris, seconds: Self.fileSeconds, cancellation: cancellation)
        return Dictionary(uniqueKeysWithValues: found.map { (indices[$0.key], $0.value) })
    }
}
