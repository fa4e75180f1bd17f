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

/// Takes bytes, and fails to put them on the disk.
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
        let (hung, release, done) = (Mailbox<Bool>(), Mailbox<Bool>(), Mailbox<Bool>())
        rig.cache.observe { _ in
            hung.post(true)
            _ = release.take(until: .now.advanced(bySeconds: 120))
        }
        let media = try rig.keep(0..<1000, of: "a", size: 1000)
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        let cache = rig.cache
        let thread = NamedThread("ends") {
            cache.stop()
            done.post(true)
        }
        #expect(!done.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        release.post(true)
        thread.join()
        withExtendedLifetime(media) {}
    }

    /// The kernel reports a failed write once, and then takes the bytes for written.
    @Test func whatTheDiskDidNotTakeIsNotKept() throws {
        let failing = FailingDisk()
        let rig = try CacheRig(sync: { failing.sync($0) })
        try rig.keep(0..<100_000, of: "a", size: 1_000_000).close()
        // In the journal.
        try rig.restart()
        failing.isFailing.store(true, ordering: .relaxed)
        let lost = try rig.keep(200_000..<300_000, of: "a", size: 1_000_000)
        #expect(eventually { rig.cache.status().problem != nil })
        #expect(Array(lost.ranges.ranges) == [0..<100_000])
        failing.isFailing.store(false, ordering: .relaxed)
        lost.close()
        try rig.restart()
        let found = try #require(rig.cache.find(try CacheRig.address("a")))
        #expect(Array(found.ranges.ranges) == [0..<100_000])
        #expect(CacheRig.holds(found, 0..<100_000))
    }

    @Test func whatIsKeptIsThereAfterARestart() throws {
        try rig.keep(0..<300_000, of: "a", size: 1_000_000).close()
        try rig.keep(500_000..<600_000, of: "a", size: 1_000_000).close()
        #expect(try rig.files() == ["c1.part"])
        try rig.restart()
        let media = try #require(rig.cache.find(try CacheRig.address("a")))
        #expect(Array(media.ranges.ranges) == [0..<300_000, 500_000..<600_000])
        #expect(media.facts == CachedFacts(size: 1_000_000, entityTag: "\"v1\""))
        #expect(CacheRig.holds(media, 0..<300_000))
        #expect(CacheRig.holds(media, 500_000..<600_000))
        #expect(rig.cache.find(try CacheRig.address("b")) == nil)
    }

    @Test func itIsPublishedOnceItIsComplete() throws {
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

    @Test func parametersThatSayWhoAsksMakeNoOtherMedia() throws {
        try rig.keep(0..<1_000, of: "a?x=1&token=abc", size: 1_000).close()
        #expect(eventually { rig.cache.status().count == 1 })
        #expect(rig.cache.find(try CacheRig.address("a?token=other&x=1")) != nil)
        #expect(rig.cache.find(try CacheRig.address("a?x=1&X-Amz-Signature=5")) != nil)
        #expect(rig.cache.find(try CacheRig.address("a?x=2")) == nil)
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
        let own = try CacheRig(ignoring: ["visit"])
        try own.keep(0..<1_000, of: "a?visit=1&token=2", size: 1_000).close()
        #expect(own.cache.find(try CacheRig.address("a?token=2&visit=9")) != nil)
        #expect(own.cache.find(try CacheRig.address("a?token=3")) == nil)
    }

    @Test func theOneUsedLongestAgoGoes_neverOneInUse() throws {
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

    @Test func whatIsLargerThanTheLimitIsKeptAsFarAsItGoes() throws {
        let rig = try CacheRig(limit: 1_000_000)
        try rig.keep(0..<500_000, of: "old", size: 500_000).close()
        let media = try rig.keep(0..<3_000_000, of: "huge", size: 3_000_000)
        #expect(eventually { media.ranges.count > 900_000 })
        #expect(rig.cache.status().bytes <= 1_000_000)
        #expect(CacheRig.holds(media, 0..<900_000))
        #expect(rig.cache.status().entries.map(\.uri) == ["http://host/huge"])
    }

    @Test func whatPlaysIsNotRemoved() throws {
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

    @Test func whatIsForgottenIsReadNoMore() throws {
        let media = try rig.keep(0..<1_000, of: "a", size: 2_000)
        #expect(eventually { media.ranges.count == 1_000 })
        media.forget()
        #expect(try eventually { try rig.files().isEmpty })
        #expect(!CacheRig.holds(media, 0..<1_000))
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
        let anew = try rig.keep(0..<500, of: "a", size: 900, tag: "\"v2\"")
        #expect(eventually { anew.ranges.count == 500 })
        #expect(anew.facts.entityTag == "\"v2\"")
    }

    @Test func whatCannotBeOpenedNow_isKept() throws {
        try rig.keep(0..<1_000, of: "a", size: 2_000).close()
        #expect(eventually { rig.cache.status().bytes == 1_000 })
        let (part, aside) = (rig.directory + "/c1.part", rig.directory + "/aside")
        try FileManager.default.moveItem(atPath: part, toPath: aside)
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: false)
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
        try FileManager.default.removeItem(atPath: part)
        try FileManager.default.moveItem(atPath: aside, toPath: part)
        let media = try #require(rig.cache.find(try CacheRig.address("a")))
        #expect(CacheRig.holds(media, 0..<1_000))
        // One that has gone is forgotten.
        media.close()
        try FileManager.default.removeItem(atPath: part)
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
        #expect(rig.cache.status().count == 0)
    }

    /// Removed between the look at it and the new name: nobody else would find the file.
    @Test func entryThatIsRemovedWhileItIsPublished_leavesNoFile() throws {
        let media = try rig.keep(0..<1_000, of: "a", size: 2_000)
        #expect(eventually { media.ranges.count == 1_000 })
        let entry = try #require(rig.cache.index.withLock { $0.entries.values.first })
        #expect(entry.publish())
        // By its old name it is found all the same.
        var state = CacheEntry.State()
        state.written = media.ranges
        #expect(throws: Never.self) { try entry.open(state) }
        media.forget()
        #expect(try eventually { try rig.files().isEmpty })
        #expect(!entry.publish())
    }

    // MARK: Damage

    @Test(arguments: ["truncated", "missing", "size", "journal"])
    func whatIsDamagedIsDropped(how: String) throws {
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
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
        let isKept = how == "truncated" || how == "missing"
        #expect((rig.cache.find(try CacheRig.address("b")) != nil) == isKept)
        #expect(try rig.files().count == (isKept ? 1 : 0))
        // And it goes on.
        let media = try rig.keep(0..<1_000, of: "a", size: 1_000)
        #expect(eventually { media.ranges.count == 1_000 })
    }

    @Test func aSecondServerIsRefused() throws {
        #expect(throws: CacheOpenError.self) {
            _ = try RangeCache(rig.cache.configuration, log: .init(label: "second"))
        }
    }

    @Test func whatCouldNotBeToldApartLaterIsNotKept() throws {
        try rig.keep(0..<1_000, of: "a", size: nil, tag: nil).close()
        try rig.restart()
        #expect(rig.cache.find(try CacheRig.address("a")) == nil)
    }

    // MARK: Events

    @Test func eventsAreFew_andTheLastOneComes() throws {
        let told = Mutex<[CacheStatus]>([])
        rig.cache.observe { status in told.withLock { $0.append(status) } }
        let media = try rig.media("a")
        media.describe(CachedFacts(size: 2_000_000, entityTag: "\"v1\""))
        let began = Date()
        for start in stride(from: Int64(0), to: 2_000_000, by: 1_000) {
            let bytes = [UInt8](repeating: 1, count: 1_000)
            bytes.withUnsafeBytes { media.store($0, at: start) }
        }
        #expect(eventually { told.withLock { $0.last?.entries.first?.isComplete == true } })
        #expect(eventually { told.withLock { $0.last?.entries.first?.bytesPerSecond == 0 } })
        let seconds = Date().timeIntervalSince(began)
        #expect(Double(told.withLock { $0.count }) <= seconds * 10 + 2)
        #expect(told.withLock { $0.contains { ($0.entries.first?.bytesPerSecond ?? 0) > 0 } })
    }
}

@Suite struct CacheJournalNumbersTests {
    /// Somebody's file, or a damaged one.
    @Test(arguments: [Int64.max, 1 << 62, 1 << 53 + 1, 1 << 48 + 1] as [Int64])
    func partsBeyondWhatAMediaHas_areNotTaken(end: Int64) throws {
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

extension RangeSet<Int64> {
    fileprivate var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
