// SPDX-License-Identifier: Apache-2.0

import Service
import Foundation
import Glibc
import KernelTesting
import Media
import Synchronization
import Testing
import Kernel

@testable import Store

/// Accepts bytes, but fails to sync them.
private final class FailingDisk: Sendable {
    let isFailing = Atomic(false)

    func sync(_ descriptor: Int32) -> Int32 {
        guard isFailing.load(ordering: .relaxed) else { return fdatasync(descriptor) }
        errno = EIO
        return -1
    }
}

@Suite struct RangeCacheTests {
    let rig: CacheRig

    init() throws { rig = try CacheRig() }

    @Test func stop_doesNotWaitForAThreadThatHangs() throws {
        let (hung, release) = (Mailbox<Bool>(), Mailbox<Bool>())
        rig.cache.observe { _ in
            hung.post(true)
            _ = release.take(until: .now.advanced(bySeconds: 120))
        }
        let media = try rig.keep(0..<1000, of: "a", size: 1000)
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        let cache = rig.cache
        #expect(returns { cache.stop() })
        release.post(true)
        withExtendedLifetime(media) {}
    }

    /// The kernel reports a failed write once, and then treats the bytes as written.
    @Test func bytesThatTheDiskDidNotWrite_areNotKept() throws {
        let failing = FailingDisk()
        let rig = try CacheRig(sync: { failing.sync($0) })
        try rig.keep(0..<100_000, of: "a", size: 1_000_000).close()
        // The first part is in the journal.
        try rig.restart()
        failing.isFailing.store(true, ordering: .relaxed)
        let lost = try rig.keep(200_000..<300_000, of: "a", size: 1_000_000)
        #expect(eventually { rig.cache.status().problem != nil })
        #expect(Array(lost.ranges.ranges) == [0..<100_000])
        failing.isFailing.store(false, ordering: .relaxed)
        lost.close()
        try rig.restart()
        let found = try #require(try rig.find("a"))
        #expect(Array(found.ranges.ranges) == [0..<100_000])
        #expect(CacheRig.holds(found, 0..<100_000))
    }

    @Test func keptBytes_surviveARestart() throws {
        try rig.keep(0..<300_000, of: "a", size: 1_000_000).close()
        try rig.keep(500_000..<600_000, of: "a", size: 1_000_000).close()
        #expect(try rig.files() == ["c1.part"])
        try rig.restart()
        let media = try #require(try rig.find("a"))
        #expect(Array(media.ranges.ranges) == [0..<300_000, 500_000..<600_000])
        #expect(media.facts == CachedFacts(size: 1_000_000, entityTag: "\"v1\""))
        #expect(CacheRig.holds(media, 0..<300_000))
        #expect(CacheRig.holds(media, 500_000..<600_000))
        #expect(try rig.find("b") == nil)
    }

    @Test func completeFile_isRenamed() throws {
        let media = try rig.keep(0..<200_000, of: "a", size: 300_000)
        #expect(eventually { media.ranges.count == 200_000 })
        #expect(try rig.files() == ["c1.part"])
        try rig.keep(200_000..<300_000, of: "a", size: 300_000)
        #expect(try eventually { try rig.files() == ["c1.media"] })
        #expect(CacheRig.holds(media, 0..<300_000))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: rig.directory + "/c1.media"))
        #expect(bytes.count == 300_000)
        #expect(rig.cache.status().entries.first?.isComplete == true)
        media.close()
        try rig.restart()
        #expect(rig.cache.status().entries.first?.isComplete == true)
    }

    @Test func parametersOfTheClient_doNotDistinguishMedia() throws {
        try rig.keep(0..<1_000, of: "a?x=1&token=abc", size: 1_000).close()
        #expect(eventually { rig.cache.status().count == 1 })
        #expect(try rig.find("a?token=other&x=1") != nil)
        #expect(try rig.find("a?x=1&X-Amz-Signature=5") != nil)
        #expect(try rig.find("a?x=2") == nil)
        #expect(try rig.find("a") == nil)
        let own = try CacheRig(ignoring: ["visit"])
        try own.keep(0..<1_000, of: "a?visit=1&token=2", size: 1_000).close()
        #expect(try own.find("a?token=2&visit=9") != nil)
        #expect(try own.find("a?token=3") == nil)
    }

    @Test func leastRecentlyUsedEntry_isDropped_neverOneInUse() throws {
        let rig = try CacheRig(limit: 1_000_000)
        let first = try rig.keep(0..<300_000, of: "first", size: 300_000)
        #expect(eventually { first.ranges.count == 300_000 })
        for name in ["a", "b", "c", "d"] {
            try rig.keep(0..<200_000, of: name, size: 200_000).close()
            #expect(
                eventually { rig.cache.status().entries.contains { $0.uri.hasSuffix("/\(name)") && $0.isComplete } })
            #expect(rig.cache.status().bytes <= 1_000_000)
        }
        #expect(Set(rig.cache.status().entries.map { $0.uri.suffix(1) }) == ["t", "b", "c", "d"])
        #expect(CacheRig.holds(first, 0..<300_000))
        #expect(try rig.files().count == 4)
    }

    @Test func mediaBeyondTheLimit_isKeptInPart() throws {
        let rig = try CacheRig(limit: 1_000_000)
        try rig.keep(0..<500_000, of: "old", size: 500_000).close()
        let media = try rig.keep(0..<3_000_000, of: "huge", size: 3_000_000)
        #expect(eventually { media.ranges.count > 900_000 })
        #expect(rig.cache.status().bytes <= 1_000_000)
        #expect(CacheRig.holds(media, 0..<900_000))
        #expect(rig.cache.status().entries.map(\.uri) == ["http://host/huge"])
    }

    @Test func entryInUse_isNotRemoved() throws {
        let media = try rig.keep(0..<1_000, of: "a", size: 1_000)
        try rig.keep(0..<1_000, of: "b", size: 1_000).close()
        #expect(eventually { rig.cache.status().bytes == 2_000 })
        let key = try #require(rig.cache.status().entries.first { $0.isInUse }?.key)
        #expect(throws: CacheError.inUse) { try rig.cache.remove(key) }
        #expect(throws: CacheError.unknown) { try rig.cache.remove("c999") }
        #expect(rig.cache.removeAll() == (1, 1))
        #expect(try eventually { try rig.files().count == 1 })
        media.close()
        try rig.cache.remove(key)
        #expect(rig.cache.status().entries.isEmpty)
        #expect(try rig.files().isEmpty)
        try rig.restart()
        #expect(rig.cache.status().count == 0)
    }

    /// Otherwise a full disk would have no room for the next media.
    @Test func fileOfARemovedEntry_isClosed_onceItsUsersAreClosed() throws {
        let media = try rig.keep(0..<1000, of: "a", size: 1000)
        let directory = rig.directory
        func isOpen() throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { name in
                let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) ?? ""
                return target.hasPrefix(directory) && target.hasSuffix("part (deleted)")
            }
        }
        media.close()
        #expect(rig.cache.removeAll() == (1, 0))
        #expect(try eventually { try !isOpen() })
        withExtendedLifetime(media) {}
    }

    @Test func forgottenEntry_isNotRead() throws {
        let media = try rig.keep(0..<1_000, of: "a", size: 2_000)
        #expect(eventually { media.ranges.count == 1_000 })
        media.forget()
        #expect(try eventually { try rig.files().isEmpty })
        #expect(!CacheRig.holds(media, 0..<1_000))
        #expect(try rig.find("a") == nil)
        let anew = try rig.keep(0..<500, of: "a", size: 900, tag: "\"v2\"")
        #expect(eventually { anew.ranges.count == 500 })
        #expect(anew.facts.entityTag == "\"v2\"")
    }

    @Test func fileThatCannotBeOpenedNow_isKept() throws {
        try rig.keep(0..<1_000, of: "a", size: 2_000).close()
        #expect(eventually { rig.cache.status().bytes == 1_000 })
        let (part, aside) = (rig.directory + "/c1.part", rig.directory + "/aside")
        try FileManager.default.moveItem(atPath: part, toPath: aside)
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: false)
        #expect(try rig.find("a") == nil)
        try FileManager.default.removeItem(atPath: part)
        try FileManager.default.moveItem(atPath: aside, toPath: part)
        let media = try #require(try rig.find("a"))
        #expect(CacheRig.holds(media, 0..<1_000))
        // A missing file is forgotten.
        media.close()
        try FileManager.default.removeItem(atPath: part)
        #expect(try rig.find("a") == nil)
        #expect(rig.cache.status().count == 0)
    }

    /// Removed between the check and the renaming: nothing else would find the file.
    @Test func entryThatIsRemovedWhileItIsPublished_leavesNoFile() throws {
        let media = try rig.keep(0..<1_000, of: "a", size: 2_000)
        #expect(eventually { media.ranges.count == 1_000 })
        let entry = try #require(rig.cache.index.withLock { $0.entries.values.first })
        #expect(entry.publish())
        // The old name still leads to the file.
        var state = CacheEntry.State()
        state.written = media.ranges
        #expect(throws: Never.self) { try entry.open(state) }
        media.forget()
        #expect(try eventually { try rig.files().isEmpty })
        #expect(!entry.publish())
    }

    // MARK: Damage

    @Test(arguments: ["truncated", "missing", "size", "journal"])
    func damagedEntry_isDropped(how: String) throws {
        try rig.keep(0..<300_000, of: "a", size: 400_000).close()
        try rig.keep(0..<1_000, of: "b", size: 1_000).close()
        #expect(eventually { rig.cache.status().entries.contains { $0.isComplete } })
        rig.cache.stop()
        let part = rig.directory + "/c1.part"
        switch how {
        case "truncated": try Data(count: 100_000).write(to: URL(fileURLWithPath: part))
        case "missing": try FileManager.default.removeItem(atPath: part)
        case "size": try CacheJournal(rig.directory + "/cache.sqlite").zeroSizes()
        default: try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: rig.directory + "/cache.sqlite"))
        }
        try rig.restart()
        #expect(try rig.find("a") == nil)
        let isKept = how == "truncated" || how == "missing"
        #expect((try rig.find("b") != nil) == isKept)
        #expect(try rig.files().count == (isKept ? 1 : 0))
        // The cache still works.
        let media = try rig.keep(0..<1_000, of: "a", size: 1_000)
        #expect(eventually { media.ranges.count == 1_000 })
    }

    @Test func secondServer_isRefused() throws {
        #expect(throws: CacheOpenError.self) {
            _ = try RangeCache(rig.cache.configuration, log: .init(label: "second"))
        }
    }

    @Test func entryWithoutSizeOrValidator_isNotKept() throws {
        try rig.keep(0..<1_000, of: "a", size: nil, tag: nil).close()
        try rig.restart()
        #expect(try rig.find("a") == nil)
    }

    // MARK: Events

    @Test func events_areFew_andIncludeTheLastState() throws {
        let reports = Mutex<[CacheStatus]>([])
        rig.cache.observe { status in reports.withLock { $0.append(status) } }
        let media = try rig.media("a")
        media.describe(CachedFacts(size: 2_000_000, entityTag: "\"v1\""))
        let began = Date()
        var start: Int64 = 0
        func storeMore() {
            [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { media.store($0, at: start) }
            start += 1_000
        }
        // Bytes arrive until a report shows it.
        let isSpeedKnown = eventually {
            if start < 1_000_000 { storeMore() }
            return reports.withLock { $0.contains { ($0.entries.first?.bytesPerSecond ?? 0) > 0 } }
        }
        #expect(isSpeedKnown)
        while start < 2_000_000 { storeMore() }
        #expect(eventually { reports.withLock { $0.last?.entries.first?.isComplete == true } })
        #expect(eventually { reports.withLock { $0.last?.entries.first?.bytesPerSecond == 0 } })
        let seconds = Date().timeIntervalSince(began)
        #expect(Double(reports.withLock { $0.count }) <= seconds * 10 + 2)
    }
}

@Suite struct CacheJournalNumbersTests {
    /// The file of another program, or a damaged one.
    @Test(arguments: [Int64.max, 1 << 62, 1 << 53 + 1, 1 << 48 + 1] as [Int64])
    func rangesBeyondTheLargestMedia_areRejected(end: Int64) throws {
        let folder = try TemporaryFolder()
        let journal = try CacheJournal(folder.path + "/cache.sqlite")
        try journal.save(
            [
                CacheJournal.Record(id: 1, url: "a", ranges: [0..<10]),
                CacheJournal.Record(id: 2, url: "b", ranges: [0..<end]),
                CacheJournal.Record(id: 3, url: "c", ranges: [0..<10, end - 1..<end]),
            ], removing: [])
        #expect(try journal.records().map(\.id) == [1])
    }
}

extension CacheJournal {
    fileprivate func zeroSizes() throws {
        try save(
            try records().map { record in
                var record = record
                record.facts.size = 0
                return record
            }, removing: [])
    }
}
