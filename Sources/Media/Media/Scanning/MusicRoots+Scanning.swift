// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
public import Playback

extension MusicRoots {
    /// Reads one folder (empty: the top) for a catalogue, with the same names and links as browsing; nil if `accept` returns false.
    /// `watch` reports every change from this call on. Blocks on the file system.
    public func scan(
        _ uri: String, watch: FolderWatch?, accept: (FolderIdentity) -> Bool
    ) throws(MediaError) -> ScannedFolder? {
        var directories: [SharedDirectory] = []
        var names: Set<[UInt8]> = []
        var files: [ScannedFile] = []
        var folders: [String] = []
        var hasPicture = false
        let (opened, isPartial) = try openFolders(uri)
        guard accept(opened[0].identity) else { return nil }
        for folder in opened {
            let path = folder.path
            let directory = SharedDirectory(folder.take())
            directories.append(directory)
            // Watch before reading, so that no change is missed.
            watch?.add(directory.number, uri: uri, identity: folder.identity)
            guard let second = Descriptor.duplicate(directory.number) else { throw DirectoryReader.failure(errno) }
            let reader = try DirectoryReader(OwnedDescriptor(second))
            while let (rawName, kind) = try reader.next() {
                guard kind != .other, !names.contains(rawName) else { continue }
                if kind != .directory, !hasPicture, Self.pictureRank(rawName) != nil { hasPicture = true }
                let name = MusicPath.display(rawName)
                let isAudioFile = AudioFileType.isAudioFile(name[...])
                guard kind != .file || isAudioFile else { continue }
                let uri = FolderWalk.uri(path.components + [rawName])
                let status = kind == .directory ? nil : self.status(of: rawName, in: reader.descriptor, path: path)
                if kind == .directory || status?.isFolder == true {
                    folders.append(uri)
                } else if let status, status.isRegularFile, isAudioFile {
                    files.append(
                        ScannedFile(
                            uri: uri, name: name, stamp: FileStamp(status),
                            directory: kind == .file ? directories.count - 1 : nil, rawName: rawName))
                } else {
                    continue
                }
                names.insert(rawName)
            }
        }
        return ScannedFolder(
            uri: uri, files: files, folders: folders, hasPicture: hasPicture, isPartial: isPartial, roots: self,
            directories: directories)
    }

    /// As `FolderWalk.directories`, with one lookup instead of two for a uri that needs no decoding.
    private func openFolders(_ uri: String) throws(MediaError) -> (found: [Found], isPartial: Bool) {
        do throws(MediaError) {
            return try openAll(try MusicPath(uri: uri), flags: O_RDONLY | O_DIRECTORY)
        } catch  where error.code == .notFound {
            return try openAll(try FolderWalk.spelling(uri, in: self), flags: O_RDONLY | O_DIRECTORY)
        }
    }

    /// The folder's identity, without reading it; nil if it does not exist.
    public func identity(of uri: String) -> FolderIdentity? {
        do throws(MediaError) {
            return try FolderWalk.directories(uri, in: self)[0].identity
        } catch {
            // Missing or not accessible: the caller treats both alike.
            return nil
        }
    }

    /// Roots that cannot be opened: an unmounted disk, a wrong name.
    public var missingDirectories: [String] {
        directories.filter { directory in
            let number = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if number >= 0 { close(number) }
            return number < 0
        }
    }
}
