// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import GRDB
internal import Logging
internal import Media

/// Why a directory cannot hold a cache: a sentence that names the directory.
public struct CacheOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
}

/// Opens a cache directory. Drops inconsistent entries, as everything can be downloaded again.
enum CacheOpening {
    static func open(_ directory: String, _ log: Logger) throws(CacheOpenError) -> (CacheJournal, [CacheEntry]) {
        do throws(StateStoreError) {
            try DataDirectory.make(directory)
        } catch {
            throw CacheOpenError(description: "\(error)")
        }
        let path = directory + "/cache.sqlite"
        // URLs may contain secrets.
        DamagedFile.makePrivate(path)
        do {
            return try attempt(path, directory)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw CacheOpenError(description: "\(directory) is in use by another server")
        } catch {
            log.warning("the journal of the cache in \(directory) cannot be used (\(error)); a new one is created")
            for suffix in SetAside.suffixes + ["-journal"] { unlink(path + suffix) }
        }
        do {
            return try attempt(path, directory)
        } catch {
            throw CacheOpenError(description: "\(path) cannot be used: \(error)")
        }
    }

    private static func attempt(_ path: String, _ directory: String) throws -> (CacheJournal, [CacheEntry]) {
        let journal = try CacheJournal(path)
        return (journal, try entries(journal, directory))
    }

    /// Returns the entries whose file matches the journal. Deletes the cache's other files.
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

    /// Empty if the directory cannot be read: the entries are of use all the same.
    private static func names(in directory: String) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch { return [] }
    }

    private static func isSound(_ record: CacheJournal.Record, _ entry: CacheEntry) -> Bool {
        guard let last = record.ranges.last, record.facts.size.map({ $0 > 0 && last.upperBound <= $0.bytes }) ?? true
        else { return false }
        if record.isComplete {
            guard let size = record.facts.size, record.ranges == [0..<size.bytes] else { return false }
            // The server ended between writing the journal and renaming the file.
            if length(of: entry.completePath) == nil { rename(entry.partialPath, entry.completePath) }
            return length(of: entry.completePath) == size.bytes
        }
        // Without a size or a validator a new version would go unnoticed.
        guard record.facts.size != nil || record.facts.entityTag != nil || record.facts.lastModified != nil else {
            return false
        }
        return length(of: entry.partialPath).map { $0 >= last.upperBound } ?? false
    }

    /// nil unless the path is a regular file.
    private static func length(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    private static func isOurs(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count == 2 && parts[0].hasPrefix("c") && (parts[1] == "part" || parts[1] == "media")
            && Int64(parts[0].dropFirst(), radix: 36) != nil
    }
}
