// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Playback
internal import Service

/// Lists one folder of the music roots for browsing.
///
/// Leaves out hidden names, special files, links that lead outside, and files that are neither music nor playlists. Shows names that
/// are not valid UTF-8 percent-escaped; their uris can be opened nevertheless.
enum MusicFolder {
    static let defaultLimit = 10_000

    /// Lists `path` (empty: the top) in every root that has it. A file hides files of the same name in later roots. Folders come
    /// first; both kinds are in natural order. A truncated listing lacks arbitrary entries. Blocks on the file system.
    static func list(
        _ path: String, in roots: MusicRoots, limit: Int = defaultLimit
    ) throws(MediaError) -> MusicListing {
        let directories = try FolderWalk.directories(path, in: roots)
        var entries: [PathKey: MusicListing.Entry] = [:]
        var isTruncated = false
        for directory in directories {
            let prefix = directory.path
            let reader = try DirectoryReader(directory.take())
            while let (rawName, kind) = try reader.next() {
                let name = MusicPath.display(rawName)
                let key = PathKey(name)
                if entries[key] != nil { continue }
                let named = Self.kind(ofFile: name)
                guard kind != .other, kind != .file || named != nil,
                    let status = roots.status(of: rawName, in: reader.descriptor, path: prefix),
                    let shown = status.isFolder ? .folder : status.isRegularFile ? named : nil
                else { continue }
                if entries.count == limit {
                    isTruncated = true
                    break
                }
                entries[key] = MusicListing.Entry(
                    name: name, path: FolderWalk.uri(prefix.components + [rawName]), kind: shown,
                    size: status.isFolder ? nil : UInt64(clamping: status.st_size))
            }
        }
        let sorted = entries.values.map { (entry: $0, isFolder: $0.kind == .folder, order: NaturalOrder($0.name)) }
            .sorted { $0.isFolder == $1.isFolder ? $0.order < $1.order : $0.isFolder }
        return MusicListing(
            path: FolderWalk.uri(directories[0].path.components), entries: sorted.map(\.entry),
            isTruncated: isTruncated)
    }

    /// nil for a file that a listing leaves out.
    private static func kind(ofFile name: String) -> MusicListing.Kind? {
        AudioFileType.isAudioFile(name[...]) ? .file : MediaListFormat.isListName(name) ? .list : nil
    }
}

extension MusicRoots {
    /// Status of `name` in an open directory, following links within the roots; nil if nothing is there or it leads outside.
    func status(of name: [UInt8], in directory: Int32, path: MusicPath) -> stat? {
        var status = stat()
        let code = ConfinedOpen.withCString(name) { fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }
        guard code == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFLNK else { return status }
        do throws(MediaError) {
            let place = MusicPath(components: path.components + [name])
            return try openAll(place, flags: clinux_o_path, atMost: 1).found[0].status
        } catch {
            // A dangling link, or one that leads outside, is not playable: leave it out.
            return nil
        }
    }
}

/// File name extensions of audio files, for listings. The content decides when a file is opened.
enum AudioFileType {
    private static let extensions: NameExtensions = [
        "mp3", "mp2", "mp1", "mpga",
        "aac", "adts", "flac", "oga", "ogg", "opus", "wav", "wave", "w64", "aif", "aiff", "aifc", "caf", "dsf", "dff",
        "m4a", "m4b", "m4r", "mp4", "m4v", "mov", "3gp", "3g2", "mka", "mkv", "webm", "weba", "wma", "asf", "wmv",
        "ape",
        "wv", "tta", "tak", "mpc", "mp+", "mpp", "spx", "ac3", "eac3", "ec3", "dts", "dtshd", "afc",
    ]

    static func isAudioFile(_ name: Substring) -> Bool { extensions.hold(name.utf8) }
}

/// A set of file name extensions: ASCII, up to 8 bytes. Checked for every added item, so it reads from the end of the name and
/// compares one word.
struct NameExtensions: ExpressibleByArrayLiteral {
    private var words: Set<UInt64> = []

    /// `names` in lower case.
    init(arrayLiteral names: String...) { words = Set(names.compactMap { Self.word(".\($0)".utf8[...]) }) }

    /// Whether the text after the last dot is in the set, ignoring case.
    func hold(_ name: Substring.UTF8View) -> Bool { Self.word(name).map(words.contains) ?? false }

    private static func word(_ name: Substring.UTF8View) -> UInt64? {
        name.withContiguousStorageIfAvailable { word($0) } ?? word(Array(name))
    }

    private static func word(_ name: some BidirectionalCollection<UInt8>) -> UInt64? {
        var word: UInt64 = 0
        for byte in name.reversed() {
            if byte == UInt8(ascii: ".") { return word }
            guard word >> 56 == 0 else { return nil }
            word = word << 8 | UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
        return nil
    }
}

/// The order of names in a listing: digits by value, letters ignoring case, so that `2 - b` comes before `10 - A`. The order is total:
/// names that differ only in case or leading zeros are ordered by their bytes.
struct NaturalOrder: Comparable {
    private let key: [UInt8]
    private let name: [UInt8]

    init(_ name: String) {
        self.name = Array(name.utf8)
        self.key = Array(name.lowercased().utf8)
    }

    static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        var a = left.key[...]
        var b = right.key[...]
        while let x = a.first, let y = b.first {
            if isDigit(x), isDigit(y) {
                let p = digits(&a)
                let q = digits(&b)
                if p.count != q.count { return p.count < q.count }
                if !p.elementsEqual(q) { return p.lexicographicallyPrecedes(q) }
            } else if x != y {
                return x < y
            } else {
                a.removeFirst()
                b.removeFirst()
            }
        }
        if a.isEmpty != b.isEmpty { return a.isEmpty }
        return left.name.lexicographicallyPrecedes(right.name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Removes the leading digits and returns them without leading zeros.
    private static func digits(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let run = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(run.count)
        return run.drop { $0 == 0x30 }
    }
}
