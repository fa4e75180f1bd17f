// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// A client's uri, validated and split into path components (raw bytes, as in the file system). Not tied to a root yet.
///
/// A relative path is taken literally; a `file:` URL is percent-decoded once.
struct MusicPath: Hashable {
    /// No component is empty, `.` or `..`, or contains a slash or NUL.
    var components: [[UInt8]]
    /// From a `file:` URL: relative to `/` instead of a root.
    var isAbsolute = false
    /// The path ends with a slash or `.`, so it can only mean a folder.
    var namesFolder = false

    /// The last component, for messages.
    var name: String { components.last.map { Self.display($0) } ?? "The music folder" }

    /// The whole path on one line, for messages; cut after 300 characters.
    var text: String {
        let scalars = Self.display(components.joined(separator: [UInt8(ascii: "/")])).unicodeScalars
        let start: [Unicode.Scalar] = scalars.prefix(300).map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(start)) + (scalars.count > 300 ? "…" : "")
    }
}

extension MusicPath {
    init(uri: String) throws(MediaError) {
        let bytes = Array(uri.utf8)
        switch Self.scheme(of: bytes) {
        case nil:
            guard bytes.first != UInt8(ascii: "/") else {
                throw MediaError(
                    .forbidden, "An absolute path is not accepted; give the path relative to a music folder.")
            }
            self.init(components: try Self.components(bytes[...]), namesFolder: Self.namesFolder(bytes[...]))
        case "file":
            var path = bytes.dropFirst(5)
            if path.starts(with: "//".utf8) {
                path = path.dropFirst(2)
                let host = path.prefix { $0 != UInt8(ascii: "/") }
                guard host.isEmpty || Self.lowercased(host) == "localhost" else {
                    throw MediaError(.unsupported, "A file: URL must name this machine, not another host.")
                }
                path = path.dropFirst(host.count)
            }
            guard path.first == UInt8(ascii: "/") else {
                throw MediaError(.unsupported, "A file: URL must contain an absolute path, as in file:///music/a.mp3.")
            }
            guard let decoded = Self.percentDecoded(path) else {
                throw MediaError(.unsupported, "The file: URL has an invalid percent escape.")
            }
            self.init(
                components: try Self.components(decoded[...]), isAbsolute: true,
                namesFolder: Self.namesFolder(decoded[...]))
        case "http", "https":
            throw MediaError(.unsupported, "A network address is not accepted here; give a path in a music folder.")
        case .some(let scheme): throw Self.unplayable(scheme)
        }
    }

    private static func unplayable(_ scheme: String) -> MediaError {
        MediaError(.unsupported, "Addresses that begin with \(scheme): cannot be played.")
    }

    /// Schemes without `//`.
    private static let opaqueSchemes = ["about", "blob", "data", "javascript", "magnet", "mailto", "spotify", "urn"]

    /// The error for a uri with such a scheme, if no file has this name; nil for other uris. A space after the colon means a title, not
    /// a scheme.
    static func refusalOfScheme(_ uri: String) -> MediaError? {
        let parts = uri.prefix(4_096).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        return parts.count == 2 && !parts[1].hasPrefix(" ") && opaqueSchemes.contains(scheme) ? unplayable(scheme) : nil
    }

    /// A relative path with nothing to resolve or refuse: no scheme, no `..`, no NUL, not too long. One pass, as long queues check
    /// every item.
    static func isPlain(_ uri: String) -> Bool {
        var uri = uri
        return uri.withUTF8 { isPlain($0) }
    }

    private static func isPlain(_ uri: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = uri.first, first != UInt8(ascii: "/"), uri.count <= 4_095 else { return false }
        var length = 0
        var dots = 0
        for byte in uri {
            switch byte {
            case UInt8(ascii: "/"):
                if length == 2, dots == 2 { return false }
                (length, dots) = (0, 0)
                continue
            case UInt8(ascii: ":"), 0: return false
            case UInt8(ascii: "."): dots += 1
            default: break
            }
            length += 1
            if length > 255 { return false }
        }
        return !(length == 2 && dots == 2)
    }

    /// The path percent-decoded once; nil if there is nothing to decode. The fallback for a relative path that does not exist; it
    /// also reaches names that a listing had to escape.
    func percentDecoded() throws(MediaError) -> MusicPath? {
        let joined = Array(components.joined(separator: [UInt8(ascii: "/")]))
        guard joined.contains(UInt8(ascii: "%")), let decoded = Self.percentDecoded(joined[...]) else { return nil }
        return MusicPath(
            components: try Self.components(decoded[...]), isAbsolute: isAbsolute, namesFolder: namesFolder)
    }

    private static func namesFolder(_ path: ArraySlice<UInt8>) -> Bool {
        let last = path.reversed().prefix { $0 != UInt8(ascii: "/") }
        return last.isEmpty || last.elementsEqual(".".utf8)
    }

    private static func components(_ path: ArraySlice<UInt8>) throws(MediaError) -> [[UInt8]] {
        guard path.count <= 4_095 else { throw MediaError(.notFound, "The path is too long (4,095 bytes at most).") }
        guard !path.contains(0) else { throw MediaError(.forbidden, "The path contains a NUL character.") }
        var components: [[UInt8]] = []
        for part in path.split(separator: UInt8(ascii: "/")) where part != [UInt8(ascii: ".")] {
            guard !part.elementsEqual("..".utf8) else {
                throw MediaError(.forbidden, "The path leads upwards with “..”, which is not allowed.")
            }
            guard part.count <= 255 else {
                throw MediaError(.notFound, "A name in the path is too long (255 bytes at most).")
            }
            components.append(Array(part))
        }
        return components
    }

    /// The URL scheme in lower case. File names may contain a colon, so apart from `file:` only a scheme followed by `//` counts.
    private static func scheme(of bytes: [UInt8]) -> String? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), (1...20).contains(colon) else { return nil }
        let isScheme = bytes[..<colon].allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        let name = lowercased(bytes[..<colon])
        guard isScheme, name == "file" || bytes[(colon + 1)...].starts(with: "//".utf8) else { return nil }
        return name
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// nil for an incomplete escape, and for an escaped slash, which would change the components.
    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        func slashes(_ path: some Sequence<UInt8>) -> Int { path.count { $0 == UInt8(ascii: "/") } }
        guard let decoded = PercentEncoding.decodedBytes(bytes), slashes(decoded) == slashes(bytes) else { return nil }
        return decoded
    }

    /// The name for listings and messages. If it is not valid UTF-8, non-ASCII bytes and percent signs are escaped, which
    /// `percentDecoded` reverses.
    static func display(_ name: some Sequence<UInt8>) -> String {
        let bytes = Array(name)
        if let valid = String(validating: bytes, as: UTF8.self) { return valid }
        return PercentEncoding.encode(bytes) { $0 < 0x80 && $0 != UInt8(ascii: "%") }
    }
}
