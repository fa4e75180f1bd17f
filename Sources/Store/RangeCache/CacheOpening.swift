// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GRDB
internal import Logging
internal import Media

/// The directory cannot hold a cache; with a sentence that names it.
public struct CacheOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
}

/// Takes over a cache directory. Nothing in it is worth keeping at any price: what does not fit is dropped.
enum CacheOpening {
    static func open(_ directory: String, _ log: Logger) throws(CacheOpenError) -> (CacheJournal, [CacheEntry]) {
        do throws(StateStoreError) {
            try DataDirectory.make(directory)
        } catch {
            throw CacheOpenError(description: "\(error)")
        }
        let path = directory + "/cache.sqlite"
        // Addresses may hold keys.
        DamagedFile.makePrivate(path)
        do {
            let journal = try CacheJournal(path)
            return (journal, try entries(journal, directory))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw CacheOpenError(description: "\(directory) is in use by another server")
        } catch {
            log.warning("the journal of the cache in \(directory) cannot be used (\(error)); a new one is created")
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
        }
        do {
            let journal = try CacheJournal(path)
            return (journal, try entries(journal, directory))
        } catch {
            throw CacheOpenError(description: "\(path) cannot be used: \(error)")
        }
    }

    /// Those whose file holds what the journal lists; other files of the cache go.
    private static func entries(_ journal: CacheJournal, _ directory: String) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var dropped: [Int64] = []
        var files: Set<String> = []
        for record in try journal.records() {
            let entry = CacheEntry(record, directory: directory)
            if isSound(record, entry) {
                entries.append(entry)
                files.insert(String(entry.path.dropFirst(directory.utf8.count + 1)))
            } else {
                dropped.append(record.id)
            }
        }
        if !dropped.isEmpty { try journal.save([], removing: dropped) }
        for name in names(in: directory) where isOurs(name) && !files.contains(name) {
            unlink(directory + "/" + name)
        }
        return entries
    }

    private static func isSound(_ record: CacheJournal.Record, _ entry: CacheEntry) -> Bool {
        guard let last = record.ranges.last, record.facts.size.map({ $0 > 0 && last.upperBound <= $0.bytes }) ?? true
        else { return false }
        if record.isComplete {
            guard let size = record.facts.size, record.ranges == [0..<size.bytes] else { return false }
            // Ended between the journal and the new name.
            if length(of: entry.completePath) == nil { rename(entry.partialPath, entry.completePath) }
            return length(of: entry.completePath) == size.bytes
        }
        // Without a size or a validator it is unknown whether the server has still the same.
        guard record.facts.size != nil || record.facts.entityTag != nil || record.facts.lastModified != nil else {
            return false
        }
        return length(of: entry.partialPath).map { $0 >= last.upperBound } ?? false
    }

    /// nil for what is no regular file.
    private static func length(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    private static func names(in directory: String) -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    private static func isOurs(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count == 2 && parts[0].hasPrefix("c") && (parts[1] == "part" || parts[1] == "media")
            && Int64(parts[0].dropFirst(), radix: 36) != nil
    }
}
