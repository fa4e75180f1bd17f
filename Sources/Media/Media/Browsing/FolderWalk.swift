// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Playback
internal import Service

/// Collects the audio files in a folder and all folders below it, in browsing order.
struct FolderWalk {
    private let roots: MusicRoots
    private let limit: Int
    private var content = FolderContent(uris: [])
    private var visited: Set<FolderIdentity> = []
    /// A file beyond the limit was found, which ends the walk.
    private var isOver = false

    private static let maximumDepth = 64

    /// Collects the files below `path` (empty: the top). Leaves out files beyond the limit and in folders nested deeper than 64.
    /// Blocks on the file system.
    static func collect(
        _ path: String, in roots: MusicRoots, limit: Int = Queue.maximumLength
    ) throws(MediaError) -> FolderContent {
        var walk = FolderWalk(roots: roots, limit: limit)
        try walk.visit(try directories(path, in: roots), depth: 0)
        return walk.content
    }

    /// The folders named `path` in every root that has one; never empty.
    static func directories(_ path: String, in roots: MusicRoots) throws(MediaError) -> [MusicRoots.Found] {
        try roots.openAll(try spelling(path, in: roots), flags: O_RDONLY | O_DIRECTORY).found
    }

    /// The path under which the first root has this folder: as given, or percent-decoded (see `MusicPath.percentDecoded`).
    static func spelling(_ path: String, in roots: MusicRoots) throws(MediaError) -> MusicPath {
        let first = try roots.open(try MusicPath(uri: path), flags: clinux_o_path, uri: path)
        guard first.isFolder else { throw MediaError(.unsupported, "\(path) is not a folder.") }
        return first.path
    }

    /// The uri of a path: its names joined. Escaped as a whole if a name is not valid UTF-8; prefixed with `./` if it would
    /// otherwise parse as a URL or a reference.
    static func uri(_ components: [[UInt8]]) -> String {
        let path = MusicPath.display(components.joined(separator: [UInt8(ascii: "/")]))
        let isAddress =
            MediaLocator.isNetwork(path)
            || ["file:", SealedAddresses.scheme].contains { path.lowercased().hasPrefix($0) }
        return isAddress ? "./" + path : path
    }

    private mutating func visit(_ folders: [MusicRoots.Found], depth: Int) throws(MediaError) {
        var children: [[UInt8]: Bool] = [:]
        for folder in folders where visited.insert(folder.identity).inserted {
            let reader = try DirectoryReader(folder.take())
            while let (name, kind) = try reader.next() {
                if children[name] != nil { continue }
                switch kind {
                case .directory: children[name] = true
                case .file: children[name] = false
                case .unknown:
                    let status = roots.status(of: name, in: reader.descriptor, path: folder.path)
                    if status?.isFolder == true { children[name] = true }
                    if status?.isRegularFile == true { children[name] = false }
                case .other: continue
                }
            }
        }
        let path = folders[0].path.components
        let sorted = children.map { (name: $0.key, isFolder: $0.value, order: NaturalOrder(MusicPath.display($0.key))) }
            .sorted { $0.isFolder == $1.isFolder ? $0.order < $1.order : $0.isFolder }
        for child in sorted {
            if isOver { return }
            let place = MusicPath(components: path + [child.name])
            if child.isFolder {
                guard depth < Self.maximumDepth else {
                    content.isTruncated = true
                    continue
                }
                do throws(MediaError) {
                    let below = try roots.openAll(place, flags: O_RDONLY | O_DIRECTORY).found
                    try visit(below, depth: depth + 1)
                } catch  where error.code == .forbidden || error.code == .notFound {
                    // Skip a folder that is not readable or was removed meanwhile.
                    continue
                }
            } else if AudioFileType.isAudioFile(MusicPath.display(child.name)[...]) {
                guard content.uris.count < limit else {
                    (isOver, content.isTruncated) = (true, true)
                    return
                }
                content.uris.append(Self.uri(place.components))
            }
        }
    }
}

/// Reads the names in a directory, with the kinds that readdir(3) reports without a stat.
struct DirectoryReader: ~Copyable {
    /// `unknown`: a link, or the file system does not report kinds.
    enum Kind { case directory, file, unknown, other }

    private let stream: OpaquePointer

    /// Takes ownership of a descriptor of a directory that is open for reading.
    init(_ descriptor: consuming OwnedDescriptor) throws(MediaError) {
        let number = descriptor.release()
        guard let stream = fdopendir(number) else {
            let code = errno
            close(number)
            throw Self.failure(code)
        }
        self.stream = stream
    }

    deinit { closedir(stream) }

    var descriptor: Int32 { dirfd(stream) }

    /// The next name that is not hidden; nil at the end, or if the directory was removed. Throws if the rest cannot be read: unread
    /// names may still exist.
    func next() throws(MediaError) -> (name: [UInt8], kind: Kind)? {
        while true {
            // Only errno distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Self.failure(errno) }
                return nil
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            if name.first == UInt8(ascii: ".") { continue }
            switch Int(entry.pointee.d_type) {
            case Int(DT_DIR): return (name, .directory)
            case Int(DT_REG): return (name, .file)
            case Int(DT_LNK), Int(DT_UNKNOWN): return (name, .unknown)
            default: return (name, .other)
            }
        }
    }

    static func failure(_ code: Int32) -> MediaError {
        MediaError(.unreadable, "A music folder cannot be read: \(String(cString: strerror(code))).")
    }
}
