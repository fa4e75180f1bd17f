// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Playback
internal import Service

/// One folder of the music roots as a client browses it.
///
/// Hidden names, special files, links that lead outside and files that are neither music nor playlists are left out. Names that are not valid
/// UTF-8 are shown percent-escaped; their uris open all the same.
enum MusicFolder {
    static let defaultLimit = 10_000

    /// Lists `path` (empty: the top) in every root that has it; a file hides those of the same name in later roots.
    /// Folders come first, each kind in natural order. Which entries a truncated listing lacks is not defined. Blocks on
    /// the file system.
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
                    let status = roots.status(of: rawName, kind: kind, in: reader.descriptor, path: prefix)
                else { continue }
                let isDirectory = status.st_mode & S_IFMT == S_IFDIR
                guard let shown = isDirectory ? .folder : status.st_mode & S_IFMT == S_IFREG ? named : nil else {
                    continue
                }
                if entries.count == limit {
                    isTruncated = true
                    break
                }
                entries[key] = MusicListing.Entry(
                    name: name, path: FolderWalk.uri(prefix.components + [rawName]), kind: shown,
                    size: isDirectory ? nil : UInt64(clamping: status.st_size))
            }
        }
        let sorted = entries.values.map { (entry: $0, order: NaturalOrder($0.name)) }.sorted { left, right in
            let (leads, follows) = (left.entry.kind == .folder, right.entry.kind == .folder)
            return leads == follows ? left.order < right.order : leads
        }
        return MusicListing(
            path: FolderWalk.uri(directories[0].path.components), entries: sorted.map(\.entry),
            isTruncated: isTruncated)
    }

    /// nil for what a listing leaves out.
    private static func kind(ofFile name: String) -> MusicListing.Kind? {
        AudioFileType.isAudioFile(name[...]) ? .file : MediaListFormat.isListName(name) ? .list : nil
    }
}

extension MusicRoots {
    /// Status of what `name` in an open directory is, a link followed as far as it stays inside; nil when it is
    /// nothing, or leads outside.
    func status(of name: [UInt8], kind: DirectoryReader.Kind, in directory: Int32, path: MusicPath) -> stat? {
        var status = stat()
        let code = ConfinedOpen.withCString(name) { fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }
        guard code == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFLNK else { return status }
        do throws(MediaError) {
            return try openAll(MusicPath(components: path.components + [name]), flags: clinux_o_path, atMost: 1)[0]
                .status
        } catch {
            // Left out of the listing on purpose: a link to nowhere or to the outside is nothing to play.
            return nil
        }
    }
}

/// The file name extensions that a listing shows; what a file really is, its bytes show when it is opened.
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

/// Extensions of file names in ASCII, of 8 bytes at most. Asked of every item that is added: reads from the name's end, and
/// compares one word.
struct NameExtensions: ExpressibleByArrayLiteral {
    private var words: Set<UInt64> = []

    /// In lower case.
    init(arrayLiteral names: String...) { words = Set(names.compactMap { Self.word(".\($0)".utf8[...]) }) }

    /// Whether what follows the last dot, in either case, is one of them.
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

/// The order of names in a listing: runs of digits by value, letters without regard to case, so that `2 - b` stands
/// before `10 - A`. Total: names that differ only in case or leading zeros are ordered by their bytes.
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

    /// Takes a run of digits off the front; its value without leading zeros.
    private static func digits(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let run = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(run.count)
        return run.drop { $0 == 0x30 }
    }
}
