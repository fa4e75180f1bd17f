// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Reports which folders changed, by inotify(7). Belongs to one thread.
public final class FolderWatch {
    public struct Changes {
        /// Uris of folders in which something appeared, vanished or was written.
        public var folders: Set<String> = []
        /// The kernel's queue ran over: anything may have changed.
        public var isIncomplete = false
    }

    /// Watches of the kernel are memory (about 1 KB each).
    private static let maximumWatches = 100_000

    /// For poll: readable when there are changes.
    public let descriptor: Int32

    private var folders: [Int32: (uri: String, identity: FolderIdentity)] = [:]
    /// The other way round, so that a folder that is watched already costs no call.
    private var uris: [FolderIdentity: String] = [:]
    /// The system allows no further watches: what happens in some folders stays unseen.
    public private(set) var isFull = false

    /// nil where the kernel refuses (no instance left, or a sandbox).
    public init?() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Before everything is walked through: the system may allow more by now.
    public func beginWalk() { isFull = false }

    /// Watches the open directory under that name; a directory that is watched already only gets the new name.
    func add(_ directory: Int32, uri: String, identity: FolderIdentity) {
        if uris[identity] == uri { return }
        guard folders.count < Self.maximumWatches else {
            isFull = true
            return
        }
        let mask = IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        // By the descriptor, not by a name that could have been given to something else meanwhile.
        let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(directory)", UInt32(bitPattern: mask))
        if watch >= 0 {
            folders[watch] = (uri, identity)
            uris[identity] = uri
        } else {
            isFull = true
        }
    }

    /// What has changed since the last call; never blocks.
    public func takeChanges() -> Changes {
        var changes = Changes()
        let header = MemoryLayout<inotify_event>.size
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return changes }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    note(event, in: &changes)
                    offset += header + Int(event.len)
                }
            }
        }
    }

    private func note(_ event: inotify_event, in changes: inout Changes) {
        let mask = Int32(bitPattern: event.mask)
        if mask & IN_Q_OVERFLOW != 0 { changes.isIncomplete = true }
        guard let folder = folders[event.wd] else { return }
        changes.folders.insert(folder.uri)
        guard mask & IN_IGNORED != 0 else { return }
        // The directory has gone, or its file system; one of the same number is another one.
        folders[event.wd] = nil
        uris[folder.identity] = nil
    }
}
