// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Playback

/// Looks up whether uris in the music roots name a file or a folder, without opening files.
///
/// The last folder stays open, so that consecutive files of one folder cost one system call each. Blocks on the file system. For one
/// thread.
struct PlaceLookup {
    private let roots: MusicRoots
    private var folder: [UInt8]?
    /// `folder` in each root that has it.
    private var directories: [SharedDirectory] = []

    init(roots: MusicRoots) { self.roots = roots }

    /// False for a regular file, also an empty one. Throws if the uri does not exist, lies outside the roots, or is neither file nor
    /// folder.
    mutating func isFolder(_ uri: String) throws(MediaError) -> Bool {
        if MusicPath.isPlain(uri), let isFolder = inFolder(Array(uri.utf8)) { return isFolder }
        let path = try MusicPath(uri: uri)
        let found = try roots.open(path, flags: clinux_o_path, uri: uri)
        if !found.isFolder { try found.checkFile(namedBy: path) }
        return found.isFolder
    }

    /// The fast path for a plain relative path that is not a link; nil means that `MusicRoots.open` must decide.
    private mutating func inFolder(_ uri: [UInt8]) -> Bool? {
        let slash = uri.lastIndex(of: UInt8(ascii: "/"))
        let name = uri[(slash.map { $0 + 1 } ?? 0)...]
        guard !name.isEmpty, !name.elementsEqual(".".utf8) else { return nil }
        enter(Array(uri[..<(slash ?? 0)]))
        for directory in directories {
            var status = stat()
            let code = ConfinedOpen.withCString(Array(name)) {
                fstatat(directory.number, $0, &status, AT_SYMLINK_NOFOLLOW)
            }
            // A later root counts only if this one lacks the name.
            guard code == 0 || errno == ENOENT else { return nil }
            guard code == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return false
            case S_IFDIR: return true
            default: return nil
            }
        }
        return nil
    }

    private mutating func enter(_ path: [UInt8]) {
        guard folder != path else { return }
        folder = path
        directories = []
        do throws(MediaError) {
            let place = try MusicPath(uri: String(decoding: path, as: UTF8.self))
            let (found, isPartial) = try roots.openAll(place, flags: clinux_o_path | O_DIRECTORY)
            // The full lookup reports why a root is not readable.
            guard !isPartial else { return }
            directories = found.map { SharedDirectory($0.take()) }
        } catch {
            // The full lookup reports the error, with the file's name.
        }
    }
}
