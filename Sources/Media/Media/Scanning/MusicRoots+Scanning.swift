// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Playback

extension MusicRoots {
    /// Reads one folder (empty: the top) for a catalogue, the same names and links as browsing shows; nil when `accept`
    /// wants none of it. `watch` hears of every change that comes after the call. Blocks on the file system.
    public func scan(
        _ uri: String, watch: FolderWatch?, accept: (FolderIdentity) -> Bool
    ) throws(MediaError) -> ScannedFolder? {
        var directories: [SharedDirectory] = []
        var children: [[UInt8]: Bool] = [:]
        var files: [ScannedFile] = []
        var folders: [String] = []
        var identity: FolderIdentity?
        var hasPicture = false
        let (opened, isPartial) = try openFolders(uri)
        for folder in opened {
            let path = folder.path
            if identity == nil {
                guard accept(folder.identity) else { return nil }
                identity = folder.identity
            }
            let directory = SharedDirectory(folder.take())
            directories.append(directory)
            // Before it is read, so that nothing falls between.
            watch?.add(directory.number, uri: uri, identity: folder.identity)
            let reader = try DirectoryReader(OwnedDescriptor(dup(directory.number)))
            while let (rawName, kind) = try reader.next() {
                guard kind != .other, children[rawName] == nil else { continue }
                if kind != .directory, !hasPicture, Self.isPictureName(rawName) { hasPicture = true }
                let name = MusicPath.display(rawName)
                guard kind != .file || AudioFileType.isAudioFile(name[...]) else { continue }
                if kind == .directory {
                    children[rawName] = true
                    folders.append(FolderWalk.uri(path.components + [rawName]))
                    continue
                }
                guard let status = self.status(of: rawName, kind: kind, in: reader.descriptor, path: path) else {
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    children[rawName] = true
                    folders.append(FolderWalk.uri(path.components + [rawName]))
                case S_IFREG where AudioFileType.isAudioFile(name[...]):
                    children[rawName] = false
                    files.append(
                        ScannedFile(
                            uri: FolderWalk.uri(path.components + [rawName]), name: name, stamp: FileStamp(status),
                            directory: kind == .file ? directories.count - 1 : nil, rawName: rawName))
                default: continue
                }
            }
        }
        guard let identity else { throw MediaError(.notFound, "There is no such folder.") }
        return ScannedFolder(
            uri: uri, identity: identity, files: files, folders: folders, hasPicture: hasPicture,
            isPartial: isPartial, roots: self, directories: directories)
    }

    /// As `FolderWalk.directories`, with one look instead of two for a uri that needs no decoding.
    private func openFolders(_ uri: String) throws(MediaError) -> (found: [Found], isPartial: Bool) {
        do throws(MediaError) {
            return try openEach(try MusicPath(uri: uri), flags: O_RDONLY | O_DIRECTORY)
        } catch  where error.code == .notFound {
            return try openEach(try FolderWalk.spelling(uri, in: self), flags: O_RDONLY | O_DIRECTORY)
        }
    }

    /// The folder's identity without reading it; nil when it is not there.
    public func identity(of uri: String) -> FolderIdentity? {
        do throws(MediaError) {
            return try FolderWalk.directories(uri, in: self)[0].identity
        } catch {
            // Gone or not allowed: for the caller it is not there.
            return nil
        }
    }

    /// The roots that cannot be opened now: an unmounted disk, a wrong name.
    public var missingDirectories: [String] {
        directories.filter { directory in
            let number = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if number >= 0 { close(number) }
            return number < 0
        }
    }
}
