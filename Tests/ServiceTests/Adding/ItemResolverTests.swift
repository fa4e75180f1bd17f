// SPDX-License-Identifier: Apache-2.0

import Playback
import Synchronization
import ServiceTesting
import Testing

@testable import Service

@Suite struct ItemResolverTests {
    private func resolve(
        _ items: [ItemRequest], _ rules: AddingRules = AddingRules(), playlists: LongPlaylists? = nil,
        media: AddressMediaAccess = AddressMediaAccess()
    ) throws -> ResolvedItems {
        try ItemResolver(items, rules, media: media, playlists: playlists).resolve()
    }

    @Test func content_decidesTheKindOfAnAddress() throws {
        let found = try resolve([
            .uri("a.mp3"), .uri("folder"), .uri("list.m3u"), .uri("notes"), .uri("http://host/feed"),
        ])
        #expect(
            found.items.map(\.uri) == [
                "a.mp3", "folder/0.mp3", "folder/1.mp3", "list.m3u#0", "list.m3u#1", "notes", "http://host/feed#0",
                "http://host/feed#1",
            ])
    }

    @Test(arguments: ["folder", "list.m3u", "http://host/feed"])
    func severalItems_areRefused_whenOneIsExpected(uri: String) throws {
        for (item, rules) in [
            (ItemRequest.uri(uri), AddingRules(expands: false)),
            (ItemRequest.media(ItemDraft(uri: uri), expands: false), AddingRules()),
        ] {
            let fault = #expect(throws: ItemFault.self) { try resolve([.uri("a.mp3"), item], rules) }
            #expect(fault?.index == 1)
            guard case .severalItems? = fault?.cause else {
                return #expect(Bool(false), "\(String(describing: fault))")
            }
        }
        #expect(try resolve([.media(ItemDraft(uri: uri), expands: true)], AddingRules(expands: false)).items.count == 2)
    }

    @Test func oneItem_isAccepted_whenOneIsExpected() throws {
        #expect(try resolve([.uri("single.m3u"), .uri("a.mp3")], AddingRules(expands: false)).items.count == 2)
    }

    @Test func faults_areLeftOutAndListed_whenSkipped() throws {
        let items = [ItemRequest.uri("missing.mp3"), .uri("a.mp3"), .uri("gopher://x"), .folder("none"), .uri("b.mp3")]
        let found = try resolve(items, AddingRules(skipsFaults: true))
        #expect(found.items.map(\.uri) == ["a.mp3", "b.mp3"])
        #expect(found.skipped.count == 3)
        #expect(found.skipped.faults.map(\.index) == [0, 2, 3])
        #expect(found.skipped.faults.map(\.member) == ["uri", "uri", "folder"])
    }

    @Test func lists_areRead_whenOneOfASimilarNameFails() throws {
        let found = try resolve(
            [.uri("gone\u{E9}.m3u"), .uri("gone\u{E9}.m3u"), .uri("gonee\u{301}.m3u")], AddingRules(skipsFaults: true))
        #expect(found.items.count == 2 && found.skipped.count == 2)
    }

    @Test func unknownIDs_areLeftOutAndListed_whenSkipped() throws {
        let items = ["album", "playlist"].map { ItemRequest.unknown(member: $0, id: "zz") } + [.uri("a.mp3")]
        let found = try resolve(items, AddingRules(skipsFaults: true))
        #expect(found.items.map(\.uri) == ["a.mp3"])
        #expect(found.skipped.faults.map { Problem($0).code } == ["unknown-entry", "unknown-playlist"])
        #expect(found.skipped.faults.map { Problem($0).member } == ["items[0].album", "items[1].playlist"])
        #expect(throws: ItemFault.self) { try resolve(items) }
    }

    @Test func unreachableServer_isNoFault_unlessChecked() throws {
        #expect(try resolve([.uri("http://down/stream")]).items.count == 1)
        #expect(throws: ItemFault.self) { try resolve([.uri("http://down/stream")], AddingRules(checks: true)) }
        #expect(throws: ItemFault.self) { try resolve([.uri("http://host/gone")]) }
        #expect(try resolve([.uri("http://host/gone.mp3")]).items.count == 1)
        #expect(throws: ItemFault.self) { try resolve([.uri("http://host/gone.mp3")], AddingRules(checks: true)) }
    }

    @Test func looks_areLimited() throws {
        let media = AddressMediaAccess()
        let items = (0..<100).map { ItemRequest.uri("http://host/feed?\($0)") }
        #expect(try resolve(items, media: media).items.count == ItemResolver.mostLooks * 2 + 92)
        #expect(media.looks.withLock { $0 } == ItemResolver.mostLooks)
        let checked = AddressMediaAccess()
        _ = try resolve((0..<100).map { .uri("\($0).mp3") }, AddingRules(checks: true), media: checked)
        #expect(checked.looks.withLock { $0 } == ItemResolver.mostLooks)
    }

    @Test func references_areLimited() throws {
        let media = AddressMediaAccess()
        let items = (0..<1_000).map { ItemRequest.uri("\($0).m3u") }
        for rules in [AddingRules(), AddingRules(skipsFaults: true)] {
            let fault = #expect(throws: ItemFault.self) { try resolve(items, rules, media: media) }
            guard case .tooManyReferences? = fault?.cause else {
                return #expect(Bool(false), "\(String(describing: fault))")
            }
            #expect(fault?.index == ItemResolver.mostReferences)
        }
        #expect(media.looks.withLock { $0 } == 2 * ItemResolver.mostReferences)
        #expect(try resolve((0..<1_000).map { .uri("\($0).mp3") }).items.count == 1_000)
    }

    @Test func unreadableList_isReadOnce() throws {
        let media = AddressMediaAccess()
        let items = [ItemRequest](repeating: .uri("gone.m3u"), count: 100)
        let found = try resolve(items, AddingRules(skipsFaults: true), media: media)
        #expect(found.skipped.count == 100 && media.looks.withLock { $0 } == 1)
    }

    @Test func requestsThatReadSeveral_areDetectedBySpelling() {
        let files = (0..<100).map { ItemRequest.uri("\($0).mp3") }
        func readsSeveral(_ items: [ItemRequest]) -> Bool {
            ItemResolver(items, AddingRules(), media: AddressMediaAccess()).readsSeveral
        }
        #expect(!readsSeveral(files + [.uri("a.m3u")]))
        #expect(readsSeveral(files + [.uri("a.m3u"), .folder("b")]))
        #expect(readsSeveral([.uri("a.m3u")] + files + [.uri("b.m3u")]))
    }

    @Test func addresses_areParsedOnce() throws {
        let media = AddressMediaAccess()
        #expect(try resolve((0..<100).map { .uri("\($0).mp3") }, media: media).items.count == 100)
        #expect(media.names.withLock { $0 } == 100)
    }

    @Test func checkedMedia_isOpened_whateverItsName() throws {
        for uri in ["notes", "single.m3u"] {
            let media = AddressMediaAccess()
            #expect(throws: ItemFault.self) {
                media.refusesToOpen.withLock { $0 = true }
                _ = try resolve([.uri(uri)], AddingRules(checks: true), media: media)
            }
            #expect(try resolve([.uri(uri)], media: media).items.count == 1)
        }
    }

    /// The look-up has read its first bytes, so the server gets one request.
    @Test func checkedWebMedia_isNotOpenedAgain() throws {
        let media = AddressMediaAccess()
        media.refusesToOpen.withLock { $0 = true }
        #expect(try resolve([.uri("http://host/notes")], AddingRules(checks: true), media: media).items.count == 1)
        #expect(media.looks.withLock { $0 } == 1)
    }

    /// As a client passes on an entry of a server's list.
    @Test(arguments: [false, true])
    func reachOfAnItem_stays_whenItsAddressIsLookedUp(checks: Bool) throws {
        let item = ItemRequest.media(ItemDraft(uri: "http://host/notes", reach: .public), expands: nil)
        #expect(try resolve([item], AddingRules(checks: checks)).items.map(\.reach) == [.public])
    }

    /// Each reference reads at most the remaining number of items, and items that exceed the size are refused.
    @Test func playlistReferences_readAtMostTheRemainingItems() throws {
        let playlists = LongPlaylists(length: 100_000)
        let id = PlaylistID(number: 1)
        let fault = #expect(throws: ItemFault.self) {
            try resolve(Array(repeating: .playlist(id), count: 40), playlists: playlists)
        }
        guard case .tooLarge? = fault?.cause else { return #expect(Bool(false), "\(String(describing: fault))") }
        #expect(playlists.read.withLock { $0 } < 1_000_000)
        #expect(try resolve([.playlist(id)], playlists: playlists).items.count == 100_000)
    }
}

/// Entries are generated on request.
private final class LongPlaylists: PlaylistKeeper {
    let length: Int
    let read = Mutex(0)

    init(length: Int) { self.length = length }

    func playlist(
        _ id: PlaylistID, offset: Int, limit: Int
    ) throws(PlaylistError) -> (list: Playlist, entries: [PlaylistEntry]) {
        let count = min(limit, length - offset)
        read.withLock { $0 += count }
        let list = Playlist(id: id, name: "long", length: length, revision: 1, modified: 0)
        return (list, Array(repeating: PlaylistEntry(uri: "a.mp3", title: "A title"), count: count))
    }

    func search(_ text: String, limit: Int) throws(PlaylistError) -> [Playlist] { [] }
    func playlists() throws(PlaylistError) -> [Playlist] { [] }
    func create(name: String, entries: [PlaylistEntry]) throws(PlaylistError) -> Playlist { throw .unknown }
    func change(
        _ id: PlaylistID, name: String?, entries: PlaylistChange?, expected: [UInt64]?
    ) throws(PlaylistError) -> Playlist { throw .unknown }
    func remove(_ id: PlaylistID, expected: [UInt64]?) throws(PlaylistError) { throw .unknown }
}

/// A folder `folder`, lists by their names, feeds on the web.
private final class AddressMediaAccess: MediaAccess {
    let looks = Mutex(0)
    let names = Mutex(0)
    let refusesToOpen = Mutex(false)

    func address(_ uri: String) throws(MediaError) -> MediaAddress {
        names.withLock { $0 += 1 }
        if uri.hasPrefix("gopher:") { throw MediaError(.unsupported, "gopher") }
        let name: MediaAddress.Name = uri.hasSuffix(".mp3") ? .media : uri.hasSuffix(".m3u") ? .list : .other
        return MediaAddress(name: name, isNetwork: MediaLocator.isNetwork(uri))
    }

    func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace] {
        var found: [Int: MediaPlace] = [:]
        for (index, uri) in uris.enumerated() {
            if uri == "folder" { found[index] = .folder }
            if uri == "missing.mp3" { found[index] = .unusable(MediaError(.notFound, "missing")) }
        }
        return found
    }

    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        if path == "none" { throw MediaError(.notFound, "none") }
        return FolderContent(uris: (0..<min(2, limit)).map { "\(path)/\($0).mp3" }, isTruncated: limit < 2)
    }

    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent {
        looks.withLock { $0 += 1 }
        let uri = locator.uri
        if uri.contains("down") { throw MediaError(.network, "down") }
        if uri.contains("gone"), !uri.unicodeScalars.contains("\u{301}") { throw MediaError(.notFound, "gone") }
        if uri.hasSuffix("notes") || uri == "single.m3u" {
            return ListContent(items: [ItemDraft(uri: uri, headers: locator.headers, reach: locator.reach)])
        }
        return ListContent(items: (0..<min(2, limit)).map { ItemDraft(uri: "\(uri)#\($0)") }, isTruncated: limit < 2)
    }

    func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> MediaDescription {
        looks.withLock { $0 += 1 }
        if refusesToOpen.withLock({ $0 }) { throw MediaError(.unsupported, "no audio") }
        return MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: 441_000)
    }
}
