// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
public import Kernel

/// Watches folders for changes, by inotify(7). For one thread.
public final class FolderWatch {
    public struct Changes {
        /// Uris of folders with created, removed or written entries.
        public var folders: Set<PathKey> = []
        /// The kernel's queue overflowed: anything may have changed.
        public var isIncomplete = false
    }

    /// Each watch costs about 1 KB of kernel memory.
    private static let maximumWatches = 100_000

    /// For poll(2): readable when there are changes.
    public let descriptor: Int32

    private var folders: [Int32: (uri: PathKey, identity: FolderIdentity)] = [:]
    /// The inverse of `folders`, so that a watched folder costs no system call.
    private var uris: [FolderIdentity: PathKey] = [:]
    /// The system allows no further watches: changes in some folders go unnoticed.
    public private(set) var isFull = false

    /// nil if the kernel refuses (no instance left, or a sandbox).
    public init?() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Call before a full walk: the system may allow more watches by now.
    public func beginWalk() { isFull = false }

    /// Watches an open directory under this uri. A directory that is watched already only gets the new uri.
    func add(_ directory: Int32, uri: String, identity: FolderIdentity) {
        let uri = PathKey(uri)
        if uris[identity] == uri { return }
        guard folders.count < Self.maximumWatches else {
            isFull = true
            return
        }
        let mask = IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        // By descriptor, as the name may belong to something else by now.
        let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(directory)", UInt32(bitPattern: mask))
        if watch >= 0 {
            folders[watch] = (uri, identity)
            uris[identity] = uri
        } else {
            isFull = true
        }
    }

    /// Changes since the last call. Never blocks.
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
        // The directory or its file system is gone. A later watch with the same number is a different one.
        folders[event.wd] = nil
        uris[folder.identity] = nil
    }
}
