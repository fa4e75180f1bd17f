// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

/// An audio file as its directory lists it, without having been opened.
public struct ScannedFile: Hashable, Sendable {
    /// Relative to the roots.
    public var uri: String
    /// For people; the last part of the uri but for escapes.
    public var name: String
    public var stamp: FileStamp
    /// Which of the folder's directories has it, and its name there; nil for a link, which is opened by its uri.
    var place: (directory: Int, name: [UInt8])? { directory < 0 ? nil : (directory, rawName) }
    private let directory: Int
    private let rawName: [UInt8]

    init(uri: String, name: String, stamp: FileStamp, directory: Int?, rawName: [UInt8]) {
        self.uri = uri
        self.name = name
        self.stamp = stamp
        self.directory = directory ?? -1
        self.rawName = rawName
    }
}

/// Shows whether a file is still the same one. Times are nanoseconds since the Unix epoch.
public struct FileStamp: Hashable, Sendable {
    public var size: Int64
    public var modified: Int64
    /// Also moves with permissions and names.
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

/// Distinguishes a directory from all others.
public struct FolderIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// One folder of the music roots, read for a catalogue: every root's directory of the same path together. Its
/// directories stay open as long as it lives, so that its files are opened by one short call each.
public final class ScannedFolder: Sendable {
    /// Relative to the roots; empty for the top.
    public let uri: String
    /// Of the first root that has it.
    public let identity: FolderIdentity
    public let files: [ScannedFile]
    /// Uris of the folders in it.
    public let folders: [String]
    /// There is a file that is named like the folder's picture.
    public let hasPicture: Bool
    /// A root may have more of it, but could not be asked: what is not here may still be there.
    public let isPartial: Bool

    private let roots: MusicRoots
    private let directories: [SharedDirectory]

    init(
        uri: String, identity: FolderIdentity, files: [ScannedFile], folders: [String], hasPicture: Bool,
        isPartial: Bool, roots: MusicRoots, directories: [SharedDirectory]
    ) {
        self.uri = uri
        self.identity = identity
        self.files = files
        self.folders = folders
        self.hasPicture = hasPicture
        self.isPartial = isPartial
        self.roots = roots
        self.directories = directories
    }

    /// Opens one of `files`. From any thread. A name that became a link or a directory meanwhile is refused.
    public func open(_ file: ScannedFile) throws(MediaError) -> FileSource {
        guard let place = file.place else { return try roots.openFile(file.uri) }
        let number = ConfinedOpen.withCString(place.name) {
            openat(directories[place.directory].number, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        }
        guard number >= 0 else {
            throw MusicRoots.mediaError(.system(errno), path: MusicPath(components: [place.name]))
        }
        let descriptor = OwnedDescriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.unreadable, "\(file.name) is not a regular file.")
        }
        guard status.st_size > 0 else { throw MediaError(.empty, "\(file.name) is empty (0 bytes).") }
        return try FileSource(descriptor, name: file.name, statSize: Int64(status.st_size))
    }
}

/// A directory that several threads open files in.
final class SharedDirectory: Sendable {
    let number: Int32

    init(_ descriptor: consuming OwnedDescriptor) { number = descriptor.release() }

    deinit { close(number) }
}

extension MusicRoots {
    /// Distinguishes this state of a file from any other one. Needs no permission to read it.
    public func stamp(of uri: String) throws(MediaError) -> FileStamp {
        FileStamp(try open(try MusicPath(uri: uri), flags: clinux_o_path, uri: uri).status)
    }
}
