// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

/// An audio file as listed by its directory, not opened.
public struct ScannedFile: Hashable, Sendable {
    /// Relative to the roots.
    public var uri: String
    /// For display: the last part of the uri, unescaped.
    public var name: String
    public var stamp: FileStamp
    /// Index in the folder's `directories`; nil for a link, which is opened by its uri.
    let directory: Int?
    /// The name in that directory.
    let rawName: [UInt8]
}

/// Identifies one version of a file. Times are nanoseconds since the Unix epoch.
public struct FileStamp: Hashable, Sendable {
    public var size: Int64
    public var modified: Int64
    /// Also changes with permissions and names.
    public var changed: Int64
    public var inode: UInt64

    public init(size: Int64, modified: Int64, changed: Int64, inode: UInt64) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
    }

    init(_ status: stat) {
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
        self.init(
            size: Int64(status.st_size), modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim),
            inode: UInt64(status.st_ino))
    }
}

/// Identifies a directory.
public struct FolderIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// One folder of the music roots, read for a catalogue: the directories of the same path in all roots together. They stay open for the
/// lifetime of this value, so that opening a file takes one short system call.
public struct ScannedFolder: Sendable {
    /// Relative to the roots; empty for the top.
    public let uri: String
    public let files: [ScannedFile]
    /// Uris of its subfolders.
    public let folders: [String]
    /// A file has the name of a folder picture.
    public let hasPicture: Bool
    /// Another root may have more of this folder, but is not readable: missing entries may still exist.
    public let isPartial: Bool

    let roots: MusicRoots
    let directories: [SharedDirectory]

    /// Opens one of `files`. Refuses a name that has become a link or a directory meanwhile. Any thread may call this.
    public func open(_ file: ScannedFile) throws(MediaError) -> FileSource {
        guard let directory = file.directory else { return try roots.openFile(file.uri) }
        let number = ConfinedOpen.withCString(file.rawName) {
            openat(directories[directory].number, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        }
        guard number >= 0 else {
            throw MusicRoots.mediaError(.system(errno), path: MusicPath(components: [file.rawName]))
        }
        let descriptor = OwnedDescriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0, status.isRegularFile else {
            throw MediaError(.unreadable, "\(file.name) is not a regular file.")
        }
        guard status.st_size > 0 else { throw MediaError(.empty, "\(file.name) is empty (0 bytes).") }
        return try FileSource(descriptor, name: file.name, statSize: Int64(status.st_size))
    }
}

/// A directory in which several threads open files.
final class SharedDirectory: Sendable {
    let number: Int32

    init(_ descriptor: consuming OwnedDescriptor) { number = descriptor.release() }

    deinit { close(number) }
}

extension MusicRoots {
    /// Identifies this version of a file. Needs no permission to read the file.
    public func stamp(of uri: String) throws(MediaError) -> FileStamp {
        FileStamp(try open(try MusicPath(uri: uri), flags: clinux_o_path, uri: uri).status)
    }
}
