// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import CLinux
internal import Glibc
public import Playback

/// The music folders, and the only way to open files in them.
///
/// A relative path is tried in each root in order; the first match wins. Directories with the same path in several roots appear as
/// one. Roots are opened for each use, so that one mounted later works and a missing one is reported.
public struct MusicRoots: Sendable {
    /// Absolute paths, as configured.
    public let directories: [String]

    public init(_ directories: [String]) { self.directories = directories }

    /// The relative path of a `file:` URL that lies in a root as configured; nil for anything else.
    public func relativePath(_ uri: String) -> String? {
        // Checked for each item of long queues: the first letter decides for most.
        guard uri.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "f"), uri.prefix(5).lowercased() == "file:",
            let path = FileURL.path(uri)
        else { return nil }
        for directory in directories {
            guard let rest = Self.suffix(of: Array(path.utf8), beneath: Array(directory.utf8)) else { continue }
            return String(decoding: rest.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
        }
        return nil
    }

    /// The directories as configured and with links resolved, to check many addresses.
    public struct Bounds: Sendable {
        fileprivate let directories: [[UInt8]]

        /// Throws if `uri` cannot lie in a music folder, by its spelling. Accepts any web address. Does not block.
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

    /// Whether the kernel's cache knows a plain relative path as a file of the first root. Does not touch the disk or block.
    public func knowsFile(_ uri: String) -> Bool {
        guard let directory = directories.first, MusicPath.isPlain(uri) else { return false }
        return clinux_is_cached_file(directory, uri) == 1
    }

    /// Blocks on the file system.
    public var bounds: Bounds { Bounds(directories: directories.flatMap { [Array($0.utf8), Self.realpath($0)] }) }

    private static func absolute(_ path: MusicPath) -> [UInt8] {
        Array(path.components.flatMap { [UInt8(ascii: "/")] + $0 })
    }

    /// Opens a regular file that is not empty.
    public func openFile(_ uri: String) throws(MediaError) -> FileSource {
        let path = try MusicPath(uri: uri)
        let found = try open(path, flags: O_RDONLY, uri: uri)
        let name = found.path.name
        guard !found.isFolder else { throw MediaError(.unreadable, "\(name) is a folder, not a file.") }
        try found.checkFile(namedBy: path)
        guard found.status.st_size > 0 else { throw MediaError(.empty, "\(name) is empty (0 bytes).") }
        return try FileSource(found.take(), name: name, statSize: Int64(found.status.st_size))
    }

    /// A descriptor with its fstat. A class, because a non-copyable value cannot be moved out of a tuple or array.
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

        var isFolder: Bool { status.isFolder }

        /// Throws if this is not a regular file, or if `address` ends like a folder's.
        func checkFile(namedBy address: MusicPath) throws(MediaError) {
            guard status.isRegularFile else {
                throw MediaError(.unreadable, "\(path.name) is not a regular file (a pipe, socket or device).")
            }
            guard !address.namesFolder else {
                throw MediaError(
                    .notFound, "\(path.name) is a file, but the address ends with a slash, as only a folder's does.")
            }
        }

        var identity: FolderIdentity { FolderIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

        /// May be called once.
        func take() -> OwnedDescriptor { descriptor.take()! }
    }

    func open(_ path: MusicPath, flags: Int32, uri: String) throws(MediaError) -> Found {
        do throws(MediaError) {
            return try openAll(path, flags: flags, atMost: 1).found[0]
        } catch  where error.code == .notFound && !path.isAbsolute {
            let error = MusicPath.refusalOfScheme(uri) ?? error
            guard let decoded = try path.percentDecoded(), decoded != path else { throw error }
            do throws(MediaError) {
                return try openAll(decoded, flags: flags, atMost: 1).found[0]
            } catch let other {
                throw other.code == .notFound ? error : other
            }
        }
    }

    /// Opens the path in up to `atMost` roots that have it; never empty. If no root has it, throws the first error other than
    /// `notFound`. `isPartial`: another root may have the path too, but is not readable.
    func openAll(
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

    /// nil if an absolute path lies outside `directory`.
    private static func open(_ path: MusicPath, beneath directory: String, flags: Int32) throws(MediaError) -> Found? {
        let number = Glibc.open(directory, clinux_o_path | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR {
                throw MediaError(.notFound, "The music folder \(directory) is not there.")
            }
            let reason = String(cString: strerror(code))
            throw MediaError(.unreadable, "The music folder \(directory) cannot be opened: \(reason).")
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

    /// The part of `path` after `root`; nil if it is not beneath. Both are absolute and without `.` or `..`.
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
            return MediaError(.notFound, "There is no “\(path.text)” in the music folders.")
        case .system(EACCES), .system(EPERM):
            return MediaError(.forbidden, "The server has no permission to read \(name).")
        case .system(ELOOP):
            return MediaError(.forbidden, "\(name) is a symbolic link that leads in a circle or to a special file.")
        case .system(ENAMETOOLONG):
            return MediaError(.notFound, "The path is too long.")
        case .system(ENXIO):
            return MediaError(.unreadable, "\(name) is not a regular file (a pipe, socket or device).")
        case .system(let code):
            return MediaError(.unreadable, "\(name) cannot be opened: \(String(cString: strerror(code))).")
        }
    }
}

extension stat {
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
