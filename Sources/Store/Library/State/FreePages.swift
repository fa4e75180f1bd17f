// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Pages that SQLite keeps in a file after what was on them has gone.
enum FreePages {
    /// 16 MB: fewer are soon in use again.
    static let kept = 4_096

    /// Gives them back to the disk where they are most of the file, so that little has to be written. For the start: nothing
    /// waits then.
    static func giveBack(_ file: some DatabaseWriter) {
        do {
            let (free, all) = try file.read { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0,
                    try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                )
            }
            if free > kept, free > all / 2 { try file.vacuum() }
        } catch {
            // A full disk, for instance: the file stays as it is, and whole.
        }
    }
}
