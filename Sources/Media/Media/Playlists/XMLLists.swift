// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// XSPF, ASX, and podcast feeds (RSS 2.0 with enclosures, Atom with `rel="enclosure"`).
struct XMLLists {
    private enum Kind: String {
        case xspf = "playlist"
        case asx
        case rss
        case rdf = "rdf:rdf"
        case atom = "feed"
    }

    private var list = MediaList()
    private var kind: Kind?
    private var path: [String] = []
    private var text = ""
    private var entry = MediaList.Entry()
    /// Metadata of the whole list.
    private var collection = MediaList.Entry()

    /// nil if the document is not a list.
    static func read(_ bytes: [UInt8], with scanner: any XMLScanner) throws(XMLScanError) -> MediaList? {
        var lists = XMLLists()
        let start = String(decoding: bytes.prefix(1_024), as: UTF8.self).lowercased()
        if start.contains("<asx") {
            try scanner.scan(RepairedASX(bytes)) { lists.take($0) }
        } else {
            try scanner.scan(CollectionOfOne(bytes)) { lists.take($0) }
        }
        switch lists.kind {
        case nil: return nil
        case .xspf, .asx: break
        case .rss, .rdf, .atom: lists.list.podcast = lists.collection.title ?? ""
        }
        return lists.list
    }

    private mutating func take(_ event: XMLEvent) -> Bool {
        switch event {
        case .start(let name, let attributes):
            if path.isEmpty {
                kind = Kind(rawValue: name)
                guard kind != nil else { return false }
            }
            path.append(name)
            text = ""
            return began(name, attributes)
        case .text(let more):
            text += more
            return true
        case .end(let name):
            let value = IcyMetadata.shown(text)
            path.removeLast()
            text = ""
            return ended(name, value)
        }
    }

    private var isInEntry: Bool { path.contains { ["track", "entry", "item"].contains($0) } }

    private mutating func began(_ name: String, _ attributes: [String: String]) -> Bool {
        switch (kind, name) {
        case (.xspf, "track"), (.asx, "entry"), (.rss, "item"), (.rdf, "item"), (.atom, "entry"):
            entry = MediaList.Entry()
        case (.asx, "ref"): take(attributes["href"])
        case (.asx, "base"): list.base = attributes["href"] ?? list.base
        case (.asx, "entryref"):
            return list.append(MediaList.Entry(reference: attributes["href"] ?? "", isList: true))
        case (.rss, "enclosure"), (.rdf, "enclosure"): if isSound(attributes["type"]) { take(attributes["url"]) }
        case (.atom, "link"):
            if attributes["rel"] == "enclosure", isSound(attributes["type"]) { take(attributes["href"]) }
        case (.rss, "itunes:image"):
            if isInEntry { entry.picture = attributes["href"] } else { collection.picture = attributes["href"] }
        case (.xspf, "playlist"), (.rss, "channel"), (.atom, "feed"): list.base = attributes["xml:base"] ?? list.base
        default: break
        }
        return true
    }

    private mutating func ended(_ name: String, _ value: String?) -> Bool {
        switch (kind, name) {
        case (.xspf, "track"), (.asx, "entry"), (.rss, "item"), (.rdf, "item"), (.atom, "entry"): return finishEntry()
        case (.xspf, "location"): if isInEntry { take(value) }
        case (_, "title"): set(\.title, value)
        case (.xspf, "creator"), (.asx, "author"), (.rss, "itunes:author"): set(\.artist, value)
        case (.atom, "name") where path.last == "author": set(\.artist, value)
        case (.xspf, "album"): set(\.album, value)
        case (.xspf, "image"): set(\.picture, value)
        default: break
        }
        return true
    }

    /// The first reference counts; others are mirrors.
    private mutating func take(_ reference: String?) {
        if let reference, entry.reference.isEmpty { entry.reference = String(reference.trimmingSpaces) }
    }

    private mutating func set(_ member: WritableKeyPath<MediaList.Entry, String?>, _ value: String?) {
        guard let value else { return }
        if isInEntry {
            // Ignore the title of an `image` or `source` within an item.
            guard path.last.map({ ["track", "entry", "item", "author", "tracklist"].contains($0) }) ?? false else {
                return
            }
            entry[keyPath: member] = value
        } else if path.count <= 3 {
            collection[keyPath: member] = collection[keyPath: member] ?? value
        }
    }

    private mutating func finishEntry() -> Bool {
        switch kind {
        case .rss, .rdf, .atom:
            entry.album = entry.album ?? collection.title
            entry.artist = entry.artist ?? collection.artist
            entry.picture = entry.picture ?? collection.picture
        case .xspf, .asx, nil: break
        }
        return list.append(entry)
    }

    private func isSound(_ type: String?) -> Bool {
        guard let type = type?.lowercased(), !type.isEmpty else { return true }
        return type.hasPrefix("audio/") || type.hasPrefix("video/") || type.hasSuffix("octet-stream")
            || type.hasSuffix("ogg")
    }
}
