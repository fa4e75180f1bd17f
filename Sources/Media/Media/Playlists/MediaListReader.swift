// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Service

/// Reads playlists and feeds, and the lists that they name, to the media that they come to.
struct MediaListReader: Sendable {
    static let deepest = 5
    /// Refused entries that are named.
    static let mostRefused = 100
    /// Lists within lists, all together.
    static let maximumLists = 100
    static let largestText = 4 << 20
    static let largestXML = 16 << 20
    /// Seconds for everything.
    static let patience = 20.0

    /// Where lists lie.
    let roots: MusicRoots
    /// Where entries may lie.
    let playable: MusicRoots
    /// nil where nothing may be fetched.
    let transport: (any HTTPTransport)?
    let scanner: any XMLScanner

    /// The media of a list, in its order; those of lists within it stand in their place. Blocks, for 20 s at most.
    ///
    /// `mustBeList`: false takes what is no list for a media, unless its first bytes show that it is none. A stream in HTTP
    /// Live Streaming's form is a media as well.
    func contents(
        of locator: MediaLocator, limit: Int, mustBeList: Bool, patience: Double? = nil,
        cancellation: MediaCancellation = MediaCancellation()
    ) throws(MediaError) -> ListContent {
        let patience = min(patience ?? Self.patience, Self.patience)
        var walk = Walk(
            limit: min(limit, MediaList.maximumEntries), patience: patience,
            deadline: .now.advanced(bySeconds: patience), cancellation: cancellation)
        try read(
            locator, ItemDraft(uri: locator.uri, headers: locator.headers, reach: locator.reach),
            mustBeList: mustBeList, &walk)
        return walk.contents
    }

    /// The result of one request so far.
    private struct Walk {
        let limit: Int
        let patience: Double
        let deadline: MonotonicTime
        let cancellation: MediaCancellation
        var contents = ListContent()
        /// The lists that lead to the one that is read.
        var trail: [PathKey] = []
        var lists = 0

        mutating func refuse(_ reference: String, of list: String) {
            contents.refusedCount += 1
            guard contents.refused.count < MediaListReader.mostRefused else { return }
            let entry = "\(list) names \(Substring(reference.unicodeScalars.prefix(200))), which"
            contents.refused.append(
                MediaError(.forbidden, "\(entry) is neither in the music folders nor on the web."))
        }

        mutating func append(_ draft: ItemDraft) -> Bool {
            guard contents.items.count < limit else {
                contents.isTruncated = true
                return false
            }
            contents.items.append(draft)
            return true
        }
    }

    private func read(
        _ locator: MediaLocator, _ media: ItemDraft, mustBeList: Bool, _ walk: inout Walk
    ) throws(MediaError) {
        let name = Self.name(locator.uri)
        guard !walk.trail.contains(PathKey(locator.uri)) else {
            throw MediaError(.unsupported, "\(name) is a playlist that contains itself.")
        }
        guard walk.trail.count < Self.deepest else {
            throw MediaError(.unsupported, "\(name) is nested too deeply: a playlist in \(Self.deepest) others.")
        }
        walk.lists += 1
        guard walk.lists <= Self.maximumLists else {
            throw MediaError(.unsupported, "More than \(Self.maximumLists) playlists are nested.")
        }
        guard let (list, base, reach) = try load(locator, mustBeList: mustBeList, walk) else {
            _ = walk.append(media)
            return
        }
        if list.isTruncated { walk.contents.isTruncated = true }
        walk.trail.append(PathKey(locator.uri))
        defer { walk.trail.removeLast() }
        var used = 0
        let bounds = playable.bounds
        let feed = list.podcast.map { ItemSource(.podcast, id: locator.uri, name: $0.isEmpty ? name : $0) }
        for entry in list.entries {
            guard let uri = base.resolve(entry.reference), bounds.admit(uri) else {
                walk.refuse(entry.reference, of: name)
                continue
            }
            used += 1
            let draft = ItemDraft(
                uri: uri, title: entry.title, artist: entry.artist, album: entry.album,
                artworkURI: entry.picture.flatMap(base.resolve), headers: Self.headers(of: locator, for: uri),
                reach: reach, source: feed)
            if entry.isList || MediaListFormat.isListName(uri) {
                try read(MediaLocator(draft), draft, mustBeList: false, &walk)
            } else if !walk.append(draft) {
                return
            }
        }
        guard used == 0 else { return }
        throw list.entries.isEmpty
            ? MediaError(.empty, "\(name) is a playlist without entries.")
            : MediaError(.forbidden, "Nothing in \(name) is in the music folders or on the web.")
    }

    /// An item's fields go to its own host only.
    private static func headers(of locator: MediaLocator, for uri: String) -> [String: String] {
        guard !locator.headers.isEmpty, let list = WebAddress(locator.uri), let media = WebAddress(uri),
            media.mayReceiveFields(of: list.origin)
        else { return [:] }
        return locator.headers
    }

    static func name(_ uri: String) -> String {
        WebAddress(uri)?.name ?? uri.split(separator: "/").last.map(String.init) ?? uri
    }

    // MARK: One list

    /// nil for what is to be played itself.
    private func load(
        _ locator: MediaLocator, mustBeList: Bool, _ walk: Walk
    ) throws(MediaError) -> (MediaList, ListBase, NetworkReach)? {
        let cancellation = walk.cancellation
        if cancellation.isCancelled { throw MediaError(.cancelled, "The playlist is no longer needed.") }
        let isNetwork = locator.isNetwork
        guard isNetwork else {
            let file = try roots.openFile(locator.uri)
            return try list(in: file, locator.uri, mustBeList: mustBeList, isEntry: !walk.trail.isEmpty).map { list in
                (list, ListBase(localList: locator.uri).moved(to: list.base), .anywhere)
            }
        }
        guard let transport else { throw .networkOff }
        guard let address = WebAddress(locator.uri) else {
            throw MediaError(.notFound, "This is not a web address such as https://host/path.")
        }
        var limits = NetworkLimits()
        limits.start = walk.patience
        limits.retries = 1
        let fields = locator.headers.sorted { $0.key < $1.key }.map { TransferHeader($0.key, $0.value) }
        let source = HTTPSource(
            address, fields: fields, transport: transport, limits: limits, reach: locator.reach)
        defer { source.close() }
        cancellation.onCancel { [weak source] in source?.close() }
        transport.call(at: walk.deadline) { [weak source] in source?.close() }
        do throws(MediaError) {
            guard
                let list = try list(in: source, locator.uri, mustBeList: mustBeList, isEntry: !walk.trail.isEmpty)
            else { return nil }
            return (list, ListBase.web(source.servedFrom ?? address).moved(to: list.base), source.servedReach)
        } catch {
            guard error.code == .cancelled, !cancellation.isCancelled else { throw error }
            throw MediaError(.network, "\(address.name) did not arrive within \(Int(clamping: walk.patience)) s.")
        }
    }

    /// `isEntry`: of another list, which one bad entry does not spoil.
    private func list(
        in source: any ByteSource, _ uri: String, mustBeList: Bool, isEntry: Bool
    ) throws(MediaError) -> MediaList? {
        let head = try source.bytes(at: 0, count: 4_096)
        let format = MediaListFormat(head, isNamedList: mustBeList || MediaListFormat.isListName(uri))
        switch format {
        case .hls: return nil
        case nil:
            if mustBeList { throw MediaError(.unsupported, "\(source.name) is not a playlist.") }
            let kind = FileSignature(head)
            if !isEntry, let kind, !kind.mayBeMedia {
                throw MediaError(.unsupported, "\(source.name) cannot be played: it is \(kind.rawValue).")
            }
            // Of what servers send, the name counts for less.
            if !isEntry, kind == nil, source.isLocal, MediaListFormat.isListName(uri), !FileSignature.mayBeMPEG(head) {
                throw MediaError(.unsupported, "\(source.name) has the name of a playlist, but is not one.")
            }
            return nil
        case .m3u: return TextLists.m3u(ListText.decode(try Self.whole(source, Self.largestText)))
        case .pls: return TextLists.pls(ListText.decode(try Self.whole(source, Self.largestText)))
        case .xml:
            let bytes = try Self.whole(source, Self.largestXML)
            do throws(XMLScanError) {
                if let list = try XMLLists.read(bytes, with: scanner) { return list }
            } catch {
                throw MediaError(.unsupported, "\(source.name) cannot be read as XML: \(error.reason).")
            }
            throw MediaError(.unsupported, "\(source.name) is XML, but not a playlist or feed.")
        }
    }

    private static func whole(_ source: any ByteSource, _ limit: Int) throws(MediaError) -> [UInt8] {
        guard let bytes = try source.whole(limit: limit) else {
            throw MediaError(.unsupported, "\(source.name) is too large for a playlist (\(limit >> 20) MB at most).")
        }
        return bytes
    }
}
