// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Kernel
import Media

/// A media argument of a command, as an element of `items` in the API. The server detects its kind.
///
/// An absolute path, or one that begins with `./` or `../`, names a file or folder of this machine. Any other path is
/// relative to the server's music folders.
struct MediaArgument: Hashable, Encodable {
    var uri: String

    /// `directory`: the base of `./` and `../`.
    init(_ text: String, directory: @autoclosure () -> String = FileManager.default.currentDirectoryPath) {
        if text.hasPrefix("/") {
            uri = FileURL.text(text)
        } else if text.hasPrefix("./") || text.hasPrefix("../") {
            uri = FileURL.text(Self.normal(directory() + "/" + text))
        } else {
            uri = text
        }
    }

    var isWeb: Bool {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        return ["http", "https"].contains(scheme) && uri.dropFirst(scheme.count).hasPrefix("://")
    }

    /// Judged by the name: any text would parse as a list.
    static func mayBeList(_ uri: String) -> Bool {
        MediaListFormat.isListName(uri) || [".xml", ".rss", ".atom"].contains { uri.lowercased().hasSuffix($0) }
    }

    /// Resolves `.` and `..`, which the server does not follow. Keeps a trailing slash, which marks a folder.
    private static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/") + (path.hasSuffix("/") && !parts.isEmpty ? "/" : "")
    }
}
