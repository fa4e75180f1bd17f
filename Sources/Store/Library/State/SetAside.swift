// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Moves what cannot be used out of the way, under another name in the same directory; nothing is ever deleted.
enum SetAside {
    /// Of the database's files.
    static let suffixes = ["", "-wal", "-shm"]

    /// Why no state can be kept under this name; nil for a regular file, or a link to one, or nothing. Looks without
    /// opening, as a pipe would block.
    static func reasonAgainst(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            guard lstat(path, &status) == 0 else { return nil }
            return "leads nowhere (\(String(cString: strerror(code))))"
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return "is a directory"
        case S_IFIFO: return "is a pipe"
        default: return "is no file"
        }
    }

    /// Returns the new name. `suffixes`: files that go along, so that SQLite still finds the journal of its database.
    static func move(_ path: String, with suffixes: [String] = [""]) throws(StateStoreError) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stem =
            path + ".damaged-" + String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var target = stem
        var number = 1
        var status = stat()
        while suffixes.contains(where: { lstat(target + $0, &status) == 0 }) {
            number += 1
            target = "\(stem)-\(number)"
        }
        for suffix in suffixes where rename(path + suffix, target + suffix) != 0 && errno != ENOENT {
            throw .unusable(path: path + suffix, reason: String(cString: strerror(errno)))
        }
        return target
    }
}
