// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import CLinux
internal import Glibc
public import Playback

/// The directories that music may come from, and the only way to open something in them.
///
/// A relative path is tried in each root in order; the first that has it wins. Directories of the same path in several
/// roots appear as one. Roots are opened anew for each use, so that one that is mounted later works and one that has gone
/// is reported.
public struct MusicRoots: Sendable {
    /// As configured, absolute.
    public let directories: [String]

    public init(_ directories: [String]) { self.directories = directories }

    /// The path in the music folders of a `file:` URL that lies in one of them as it is configured; nil for anything else.
    public func relativePath(_ uri: String) -> String? {
        // Asked for each item of a long queue: most do not begin with this letter.
        guard uri.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "f"), uri.prefix(5).lowercased() == "file:",
            let path = FileURL.path(uri)
        else { return nil }
        for directory in directories {
            guard let rest = Self.suffix(of: Array(path.utf8), beneath: Array(directory.utf8)) else { continue }
            return String(decoding: rest.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
        }
        return nil
    }

    /// The directories as they are configured and with links resolved, for many addresses.
    public struct Bounds: Sendable {
        fileprivate let directories: [[UInt8]]

        /// Throws for what can lie in no music folder, by its spelling. Does not look at the web, and does not block.
        public func check(_ uri: String) throws(MediaError) {
            if MusicPath.isPlain(uri) || MediaLocator.isNetwork(uri) { return }
            let path = try MusicPath(uri: uri)
            guard path.isAbsolute else { return }
            let joined = MusicRoots.absolute(path)
            guard directories.contains(where: { MusicRoots.suffix(of: joined, beneath: $0) != nil }) else {
                throw MediaError(.forbidden, "The file is outside the music folders.")
            }
        }

        func admit(_ uri: String) -> Bool {
            do throws(MediaError) { try check(uri) } catch { return false }
            return true
        }
    }

    /// Whether the kernel knows a plain relative path as a file of the first root, without a look at a disk or server: the root that
    /// wins. Does not block.
    public func knowsFile(_ uri: String) -> Bool {
        guard let directory = directories.first, MusicPath.isPlain(uri) else { return false }
        return clinux_is_cached_file(directory, uri) == 1
    }

    /// Blocks on the file system.
    public var bounds: Bounds { Bounds(directories: directories.flatMap { [Array($0.utf8), Self.realpath($0)] }) }

    private static func absolute(_ path: MusicPath) -> [UInt8] {
        Array(path.components.flatMap { [UInt8(ascii: "/")] + $0 })
    }

    /// A regular file of at least 1 byte, ready to read.
    public func openFile(_ uri: String) throws(MediaError) -> FileSource {
        let path = try MusicPath(uri: uri)
        let found = try open(path, flags: O_RDONLY, uri: uri)
        let name = found.path.name
        guard !found.isFolder else { throw MediaError(.unreadable, "\(name) is a folder, not a file.") }
        try found.checkFile(namedBy: path)
        guard found.status.st_size > 0 else { throw MediaError(.empty, "\(name) is empty (0 bytes).") }
        return try FileSource(found.take(), name: name, statSize: Int64(found.status.st_size))
    }

    /// A descriptor with its fstat. A class because a non-copyable member cannot leave a tuple or array.
    final class Found {
        let status: stat
        /// Relative to its root.
        let path: MusicPath
        private var descriptor: OwnedDescriptor?

        init(_ descriptor: consuming OwnedDescriptor, status: stat, path: MusicPath) {
            self.descriptor = consume descriptor
            self.status = status
            self.path = path
        }

        var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }

        /// Throws for what is no regular file, or has the address of a folder.
        func checkFile(namedBy address: MusicPath) throws(MediaError) {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw MediaError(.unreadable, "\(path.name) is not a regular file (a pipe, socket or device).")
            }
            guard !address.namesFolder else {
                throw MediaError(
                    .notFound, "\(path.name) is a file, but the address ends with a slash, as only a folder's does.")
            }
        }

        var identity: FolderIdentity { FolderIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

        /// Once.
        func take() -> OwnedDescriptor { descriptor.take()! }
    }

    func open(_ path: MusicPath, flags: Int32, uri: String) throws(MediaError) -> Found {
        do throws(MediaError) {
            return try openAll(path, flags: flags, atMost: 1)[0]
        } catch  where error.code == .notFound && !path.isAbsolute {
            let error = MusicPath.refusalOfScheme(uri) ?? error
            guard let decoded = try path.percentDecoded(), decoded != path else { throw error }
            do throws(MediaError) {
                return try openAll(decoded, flags: flags, atMost: 1)[0]
            } catch let other {
                throw other.code == .notFound ? error : other
            }
        }
    }

    /// In every root that has it, up to `atMost`; never empty. The first error but `notFound` is thrown if there is none.
    func openAll(_ path: MusicPath, flags: Int32, atMost: Int = .max) throws(MediaError) -> [Found] {
        try openEach(path, flags: flags, atMost: atMost).found
    }

    /// As `openAll`; `isPartial` when a root may have it too, but could not be asked.
    func openEach(
        _ path: MusicPath, flags: Int32, atMost: Int = .max
    ) throws(MediaError) -> (found: [Found], isPartial: Bool) {
        guard !directories.isEmpty else {
            throw MediaError(.notFound, "No music folder is configured; start the server with --music DIR.")
        }
        var found: [Found] = []
        var failure: MediaError?
        var isInside = !path.isAbsolute
        for directory in directories where found.count < atMost {
            do throws(MediaError) {
                guard let opened = try Self.open(path, beneath: directory, flags: flags) else { continue }
                isInside = true
                found.append(opened)
            } catch {
                isInside = true
                if failure == nil || failure?.code == .notFound { failure = error }
            }
        }
        guard found.isEmpty else { return (found, failure?.code == .unreadable) }
        guard isInside else { throw MediaError(.forbidden, "The file is outside the music folders.") }
        throw failure ?? MediaError(.notFound, "There is no such file.")
    }

    /// nil when an absolute path lies outside `directory`.
    private static func open(_ path: MusicPath, beneath directory: String, flags: Int32) throws(MediaError) -> Found? {
        let number = Glibc.open(directory, clinux_o_path | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            let code = errno
            throw code == ENOENT || code == ENOTDIR
                ? MediaError(.notFound, "The music folder \(directory) is not there.")
                : MediaError(.unreadable, "The music folder \(directory) cannot be opened: \(systemMessage(code)).")
        }
        let root = OwnedDescriptor(number)
        var path = path
        if path.isAbsolute {
            let joined = absolute(path)
            guard
                let inside = suffix(of: joined, beneath: Array(directory.utf8))
                    ?? suffix(of: joined, beneath: realpath(directory))
            else { return nil }
            path = MusicPath(components: inside.split(separator: UInt8(ascii: "/")).map(Array.init))
        }
        do throws(ConfinedOpen.Failure) {
            let descriptor = try ConfinedOpen.open(
                path.components, beneath: root, rootPath: realpath(directory), flags: flags)
            var status = stat()
            guard fstat(descriptor.number, &status) == 0 else { throw .system(errno) }
            return Found(descriptor, status: status, path: path)
        } catch {
            throw mediaError(error, path: path)
        }
    }

    /// The part of `path` behind `root`; nil when it does not lie beneath. Both absolute and without `.` or `..`.
    static func suffix(of path: [UInt8], beneath root: [UInt8]) -> ArraySlice<UInt8>? {
        var root = root[...]
        while root.last == UInt8(ascii: "/") { root = root.dropLast() }
        guard path.starts(with: root) else { return nil }
        let rest = path.dropFirst(root.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? rest : nil
    }

    private static func realpath(_ directory: String) -> [UInt8] {
        guard let real = Glibc.realpath(directory, nil) else { return Array(directory.utf8) }
        defer { free(real) }
        return UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
    }

    static func mediaError(_ failure: ConfinedOpen.Failure, path: MusicPath) -> MediaError {
        let name = path.name
        switch failure {
        case .outside:
            return MediaError(.forbidden, "\(name) leads outside the music folders by a symbolic link.")
        case .system(ENOENT), .system(ENOTDIR):
            return MediaError(.notFound, "There is no “\(name)” at this place in the music folders.")
        case .system(EACCES), .system(EPERM):
            return MediaError(.forbidden, "The server has no permission to read \(name).")
        case .system(ELOOP):
            return MediaError(.forbidden, "\(name) is a symbolic link that leads in a circle or to a special file.")
        case .system(ENAMETOOLONG):
            return MediaError(.notFound, "The path is too long.")
        case .system(ENXIO):
            return MediaError(.unreadable, "\(name) is not a regular file (a pipe, socket or device).")
        case .system(let code):
            return MediaError(.unreadable, "\(name) cannot be opened: \(systemMessage(code)).")
        }
    }
}
