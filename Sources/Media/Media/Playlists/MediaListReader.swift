// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Service

/// Reads playlists and feeds, including nested lists, into the media that they contain.
struct MediaListReader: Sendable {
    static let deepest = 5
    /// Refused entries that are reported by name.
    static let mostRefused = 100
    /// Nested lists in total.
    static let maximumLists = 100
    static let largestText = 4 << 20
    static let largestXML = 16 << 20
    /// Timeout for one request, in seconds.
    static let patience = 20.0

    /// Roots of lists.
    let roots: MusicRoots
    /// Roots of entries.
    let playable: MusicRoots
    /// nil if the network is off.
    let transport: (any HTTPTransport)?
    let scanner: any XMLScanner

    /// The media of a list in order, with nested lists expanded in place. Blocks for up to 20 s.
    ///
    /// `mustBeList`: if false, anything that is not a list counts as one item, unless its first bytes show otherwise. An HLS stream
    /// is one item.
    func contents(
        of locator: MediaLocator, limit: Int, mustBeList: Bool, patience: Double?, cancellation: MediaCancellation
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

    /// State of one request.
    private struct Walk {
        let limit: Int
        let patience: Double
        let deadline: MonotonicTime
        let cancellation: MediaCancellation
        var contents = ListContent()
        /// The lists that contain the current one.
        var trail: [PathKey] = []
        var lists = 0

        mutating func refuse(_ error: MediaError) {
            contents.refusedCount += 1
            if contents.refused.count < MediaListReader.mostRefused { contents.refused.append(error) }
        }

        /// A bad list in another one is a bad entry of it, and fails nothing else.
        mutating func fail(_ error: MediaError) throws(MediaError) {
            guard !trail.isEmpty, error.code != .cancelled, .now < deadline else { throw error }
            refuse(error)
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
        let loaded: Loaded?
        do throws(MediaError) {
            loaded = try load(locator, mustBeList: mustBeList, walk)
        } catch {
            return try walk.fail(error)
        }
        guard let (list, base, reach) = loaded else {
            walk.contents.items.append(media)
            return
        }
        if list.isTruncated { walk.contents.isTruncated = true }
        walk.trail.append(PathKey(locator.uri))
        let before = walk.contents.items.count
        let bounds = playable.bounds
        let feed = list.podcast.map { ItemSource(.podcast, id: locator.uri, name: $0.isEmpty ? name : $0) }
        for entry in list.entries {
            guard let uri = base.resolve(entry.reference), bounds.admit(uri) else {
                let reference = Substring(entry.reference.unicodeScalars.prefix(200))
                let reason = "is neither in the music folders nor on the web."
                walk.refuse(MediaError(.forbidden, "\(name) names \(reference), which \(reason)"))
                continue
            }
            guard walk.contents.items.count < walk.limit else {
                walk.contents.isTruncated = true
                break
            }
            let draft = ItemDraft(
                uri: uri, title: entry.title, artist: entry.artist, album: entry.album,
                artworkURI: entry.picture.flatMap(base.resolve), headers: Self.headers(of: locator, for: uri),
                reach: reach, source: feed)
            if entry.isList || MediaListFormat.isListName(uri) {
                try read(MediaLocator(draft), draft, mustBeList: false, &walk)
            } else {
                walk.contents.items.append(draft)
            }
        }
        walk.trail.removeLast()
        guard walk.contents.items.count == before, before < walk.limit else { return }
        if list.entries.isEmpty { return try walk.fail(MediaError(.empty, "\(name) is a playlist without entries.")) }
        // Each entry was refused.
        if walk.trail.isEmpty, let error = walk.contents.refused.last { throw error }
    }

    /// An item's header fields are sent to its own host only.
    private static func headers(of locator: MediaLocator, for uri: String) -> [String: String] {
        guard !locator.headers.isEmpty, let list = WebAddress(locator.uri), let media = WebAddress(uri),
            media.mayReceiveFields(of: list)
        else { return [:] }
        return locator.headers
    }

    static func name(_ uri: String) -> String {
        WebAddress(uri)?.name ?? uri.split(separator: "/").last.map(String.init) ?? uri
    }

    // MARK: One list

    private typealias Loaded = (MediaList, ListBase, NetworkReach)

    /// nil if this is one item, not a list.
    private func load(
        _ locator: MediaLocator, mustBeList: Bool, _ walk: Walk
    ) throws(MediaError) -> Loaded? {
        let cancellation = walk.cancellation
        if cancellation.isCancelled { throw MediaError(.cancelled, "The playlist is no longer needed.") }
        let isEntry = !walk.trail.isEmpty
        guard locator.isNetwork else {
            let file = try roots.openFile(locator.uri)
            return try list(in: file, locator.uri, mustBeList: mustBeList, isEntry: isEntry).map { list in
                (list, ListBase(localList: locator.uri).moved(to: list.base), .anywhere)
            }
        }
        guard let transport else { throw .networkOff }
        let address = try locator.webAddress()
        var limits = NetworkLimits()
        limits.start = walk.patience
        limits.retries = 1
        let source = HTTPSource(
            address, fields: locator.fields, transport: transport, limits: limits, reach: locator.reach)
        return try source.read(until: walk.deadline, within: walk.patience, cancellation) { () throws(MediaError) in
            try list(in: source, locator.uri, mustBeList: mustBeList, isEntry: isEntry).map { list in
                (list, ListBase.web(source.servedFrom ?? address).moved(to: list.base), source.servedReach)
            }
        }
    }

    /// `isEntry`: an entry of another list, which one bad entry must not fail.
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
            // The name of a web address proves less.
            if !isEntry, kind == nil, source.isLocal, MediaListFormat.isListName(uri), !FileSignature.mayBeMPEG(head) {
                throw MediaError(.unsupported, "\(source.name) has the name of a playlist, but is not one.")
            }
            return nil
        case .m3u: return TextLists.m3u(ListText.decode(try source.whole(limit: Self.largestText, as: "a playlist")))
        case .pls: return TextLists.pls(ListText.decode(try source.whole(limit: Self.largestText, as: "a playlist")))
        case .xml:
            let bytes = try source.whole(limit: Self.largestXML, as: "a playlist")
            do throws(XMLScanError) {
                if let list = try XMLLists.read(bytes, with: scanner) { return list }
            } catch {
                throw MediaError(.unsupported, "\(source.name) cannot be read as XML: \(error.reason).")
            }
            throw MediaError(.unsupported, "\(source.name) is XML, but not a playlist or feed.")
        }
    }
}
