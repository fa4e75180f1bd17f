// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The content of a playlist file or feed, with unresolved references.
struct MediaList: Hashable {
    struct Entry: Hashable {
        var reference = ""
        var title: String?
        var artist: String?
        var album: String?
        var picture: String?
        /// The list declares this entry as another list.
        var isList = false
    }

    /// Further entries are left out.
    static let maximumEntries = 10_000

    var entries: [Entry] = []
    /// Base of relative references, if the list names one.
    var base: String?
    /// Title of the feed, if this is a podcast feed.
    var podcast: String?
    var isTruncated = false

    /// False if the list is full.
    mutating func append(_ entry: Entry) -> Bool {
        guard entries.count < Self.maximumEntries else {
            isTruncated = true
            return false
        }
        if !entry.reference.isEmpty { entries.append(entry) }
        return true
    }
}

/// List formats, detected by content: names and content types are often wrong.
public enum MediaListFormat: Hashable, Sendable {
    case m3u
    case pls
    case xml
    /// An M3U that lists segments or variants of one stream.
    case hls

    /// nil if the content is not a list. `isNamedList`: the name is that of a list, so that bare lines count as entries.
    init?(_ head: [UInt8], isNamedList: Bool) {
        let text = ListText.decode(head.prefix(4_096)).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let start = text.prefix(512).lowercased()
        switch true {
        case start.hasPrefix("#extm3u"), isNamedList && start.hasPrefix("#ext"): self = Self.isHLS(text) ? .hls : .m3u
        case start.hasPrefix("[playlist]"), start.hasPrefix("[reference]"): self = .pls
        case start.hasPrefix("<") && Self.namesRoot(text): self = .xml
        default:
            guard isNamedList, !start.isEmpty, !start.hasPrefix("<"),
                FileSignature(head).map({ $0 == .text }) ?? Self.isPlain(text)
            else { return nil }
            self = .m3u
        }
    }

    /// For XML, the root element decides.
    private static func namesRoot(_ text: Substring) -> Bool {
        let text = text.lowercased()
        return ["<asx", "<rss", "<feed", "<playlist", "<rdf:rdf"].contains { text.contains($0) }
    }

    private static func isHLS(_ text: Substring) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            line.hasPrefix("#EXT-X-TARGETDURATION") || line.hasPrefix("#EXT-X-STREAM-INF")
                || line.hasPrefix("#EXT-X-MEDIA-SEQUENCE")
        }
    }

    /// Text in UTF-16 or an 8-bit encoding: no control characters except whitespace.
    private static func isPlain(_ text: Substring) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 || (0x09...0x0D).contains($0.value) }
    }

    private static let extensions: NameExtensions = ["m3u", "m3u8", "pls", "xspf", "asx", "wax", "wvx"]

    /// Whether a path or address has a list's extension. Feeds rarely do.
    public static func isListName(_ uri: String) -> Bool {
        var name = uri.utf8[...]
        if let first = name.first, first | 0x20 == UInt8(ascii: "h"), MediaLocator.isNetwork(uri) {
            name = name.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        }
        return extensions.hold(name)
    }
}

/// Text of unknown encoding.
enum ListText {
    /// U+FEFF in both byte orders.
    static let marksUTF16: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]

    static func decode(_ bytes: some Collection<UInt8>) -> String { decoded(bytes).streamSafe }

    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        if Array(bytes.prefix(3)) == [0xEF, 0xBB, 0xBF] { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
        if let text = utf16(bytes) { return text }
        // A truncated character at the end must not make all of the text Latin-1.
        for cut in 0...3 where bytes.suffix(cut).allSatisfy({ $0 >= 0x80 }) {
            if let text = String(validating: bytes.dropLast(cut), as: UTF8.self) { return text }
        }
        return String(foreign: bytes)
    }

    /// nil without UTF-16's byte order mark.
    static func utf16(_ bytes: some Collection<UInt8>) -> String? {
        let mark = Array(bytes.prefix(2))
        guard marksUTF16.contains(mark) else { return nil }
        let isLittle = mark[0] == 0xFF
        let body = Array(bytes.dropFirst(2))
        let units = stride(from: 0, to: body.count - 1, by: 2).map { index in
            UInt16(body[index + (isLittle ? 1 : 0)]) << 8 | UInt16(body[index + (isLittle ? 0 : 1)])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Converts UTF-16 to UTF-8; returns other text as it is, without a copy.
    static func withoutUTF16(_ bytes: [UInt8]) -> [UInt8] {
        marksUTF16.contains(Array(bytes.prefix(2))) ? Array(decode(bytes).utf8) : bytes
    }
}
