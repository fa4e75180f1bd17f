// SPDX-License-Identifier: Apache-2.0

import Service

/// A saved playlist as a file that other players read: M3U in UTF-8.
enum ExtendedM3U {
    static func text(name: String, entries: some Sequence<PlaylistEntry>) -> String {
        var lines = ["#EXTM3U", "#PLAYLIST:" + line(name)]
        for entry in entries {
            let uri = PublicURI.text(entry.uri)
            // A line cannot hold a line break, and what begins with # would be a comment.
            guard uri == line(uri) else { continue }
            if let title = entry.title {
                lines.append("#EXTINF:0," + line(entry.artist.map { "\($0) - \(title)" } ?? title))
            }
            if let album = entry.album { lines.append("#EXTALB:" + line(album)) }
            lines.append(uri.hasPrefix("#") ? "./" + uri : uri)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
