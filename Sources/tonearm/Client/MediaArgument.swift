// SPDX-License-Identifier: Apache-2.0

import Addresses
import Glibc
import Media

/// What the user named to be queued, as an element of `items` in the API.
///
/// An absolute path, or one that begins with `./` or `../`, is a file of this machine; anything else is relative to the
/// server's music directories. A slash at the end names a folder with everything below it.
struct MediaArgument: Hashable, Encodable {
    var uri: String?
    var folder: String?
    /// A playlist file or feed.
    var list: String?

    init(_ text: String, directory: String) {
        // What ends with a slash there is no folder of music.
        if Self.isWeb(text) {
            uri = text
            return
        }
        let isFolder = text.hasSuffix("/")
        var address = text
        if text.hasPrefix("/") {
            address = FileURL.text(text)
        } else if text.hasPrefix("./") || text.hasPrefix("../") {
            address = FileURL.text(Self.normal(directory + "/" + text))
        }
        while isFolder, address.hasSuffix("/"), address != "/" { address.removeLast() }
        if isFolder { folder = address } else { uri = address }
    }

    var isWeb: Bool { uri.map(Self.isWeb) ?? false }

    private static func isWeb(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        return ["http", "https"].contains(scheme) && text.dropFirst(scheme.count).hasPrefix("://")
    }

    /// What was named without a slash, and is a folder.
    var asFolder: MediaArgument {
        var folder = self
        (folder.uri, folder.folder) = (nil, uri)
        return folder
    }

    /// What is no media by itself, and holds some.
    var asList: MediaArgument {
        var list = self
        (list.uri, list.list) = (nil, uri)
        return list
    }

    /// By its name: any text could be read as a list.
    static func mayBeList(_ uri: String) -> Bool {
        MediaListReader.isListName(uri) || [".xml", ".rss", ".atom"].contains { uri.lowercased().hasSuffix($0) }
    }

    static func all(_ texts: [String]) -> [MediaArgument] {
        let directory = getcwd(nil, 0)
        defer { free(directory) }
        let path = directory.map { String(cString: $0) } ?? ""
        return texts.map { MediaArgument($0, directory: path) }
    }

    /// Without `.` and `..`, which the server does not follow.
    private static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension ServerClient {
    /// Files that are opened to be asked what they are: each that is no MPEG audio takes the server a process.
    private static let fewItems = 8

    /// Asks what few items are before they are added: a folder without a slash is still a folder, a playlist file stands for
    /// what it lists, and what is not there or no music is refused at once instead of when its turn comes. Of more, only
    /// folders are told from files.
    func checked(_ items: [MediaArgument]) throws -> [MediaArgument] {
        guard items.count <= 50 else { return items }
        return try items.map { item in
            guard let uri = item.uri else { return item }
            let name = PercentEncoding.encode(uri)
            if item.isWeb { return items.count <= Self.fewItems ? try listed(item, name) : item }
            guard items.count <= Self.fewItems else { return try isFolder(name) ? item.asFolder : item }
            do {
                try send(.get, "/api/v1/media/info?uri=\(name)")
                return item
            } catch let refusal as Failure {
                if try isFolder(name) { return item.asFolder }
                guard MediaArgument.mayBeList(uri) else { throw refusal }
                // It is one, or says why not.
                try send(.get, "/api/v1/media/list?uri=\(name)")
                return item.asList
            }
        }
    }

    /// A playlist or feed of the web stands for what it lists. What else is wrong there may be right when its turn comes.
    private func listed(_ item: MediaArgument, _ name: String) throws -> MediaArgument {
        // What is named like a list is taken for one anyway.
        guard let uri = item.uri, !MediaListReader.isListName(uri) else { return item }
        do {
            try send(.get, "/api/v1/media/list?uri=\(name)")
            return item.asList
        } catch is Failure {
            return item
        }
    }

    private func isFolder(_ name: String) throws -> Bool {
        do {
            try send(.get, "/api/v1/browse?path=\(name)&limit=1")
            return true
        } catch is Failure {
            return false
        }
    }
}

/// `POST /queue/items`
struct AddRequest: Encodable {
    enum Place: Hashable, Encodable {
        case end, next
        case index(Int)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .end: try container.encode("end")
            case .next: try container.encode("next")
            case .index(let index): try container.encode(index)
            }
        }
    }

    var items: [MediaArgument]
    var position = Place.end
    var play = false
}
