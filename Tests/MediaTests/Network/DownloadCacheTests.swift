// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Media

@Suite struct DownloadCacheTests {
    private let total: Int64 = 1_000_000
    private let facts = CachedFacts(size: 1_000_000, entityTag: "\"v1\"")

    private func rig(_ ranges: [Range<Int64>]) -> DownloadRig {
        DownloadRig(cached: (facts, RangeSet(ranges)))
    }

    @Test func aCompleteFreshMedia_isPlayedWithoutARequest() {
        var rig = rig([0..<total])
        #expect(rig.requests.isEmpty)
        #expect(rig.ask(at: 0) == .cached(upTo: total))
        #expect(rig.ask(at: total) == .end)
        #expect(rig.reports.last?.isSatisfied != false)
    }

    // MARK: Revalidation

    private func staleRig() -> DownloadRig {
        DownloadRig(
            cached: (
                CachedFacts(size: ByteCount(total), entityTag: "\"v1\"", lastModified: "Sat, 21 Nov 2026 10:00:00 GMT"),
                RangeSet([0..<total])
            ), isFresh: false)
    }

    @Test func aStaleMedia_isRevalidatedFirst() {
        var rig = staleRig()
        #expect(rig.requests.count == 1 && rig.range == nil)
        #expect(rig.field("If-None-Match") == "\"v1\"")
        #expect(rig.field("If-Modified-Since") == "Sat, 21 Nov 2026 10:00:00 GMT")
        #expect(rig.ask(at: 0) == .wait)
        rig.head(304, [("Cache-Control", "public, max-age=600"), ("Age", "100")])
        #expect(rig.ask(at: 0) == .cached(upTo: total))
        #expect(rig.confirmed == [500] && rig.forgotten == 0 && rig.transfer == nil)
        rig.pass(100)
        #expect(rig.requests.count == 1)
    }

    @Test func withoutConditionalRequests_tagAndSizeConfirm() {
        var rig = staleRig()
        rig.head(200, [("Content-Length", "1000000"), ("ETag", "\"v1\"")])
        #expect(rig.ask(at: 0) == .cached(upTo: total))
        #expect(rig.confirmed == [nil] && rig.transfer == nil, "the body is not wanted")
    }

    @Test(arguments: [false, true]) func anotherVersion_replacesTheCachedOne(isStale: Bool) throws {
        var rig = isStale ? staleRig() : rig([0..<400_000])
        let ranges = isStale ? [] : [("Accept-Ranges", "bytes")]
        rig.head(200, [("Content-Length", "900000"), ("ETag", "\"v2\"")] + ranges)
        #expect(rig.forgotten == 1 && rig.confirmed.isEmpty)
        #expect(rig.range == "bytes=0-" && rig.field("If-None-Match") == nil && rig.field("If-Range") == nil)
        rig.part(from: 0, of: 900_000, tag: "\"v2\"")
        rig.send(0..<900_000)
        rig.end()
        #expect(try rig.holds(0..<900_000))
        #expect(rig.download.failure == nil)
    }

    /// RFC 9111, section 5.2.2.5.
    @Test(arguments: [200, 206, 304]) func aMediaThatMayNotBeStored_leavesTheCache(status: Int) throws {
        var rig = status == 206 ? rig([0..<400_000]) : staleRig()
        let field = ("Cache-Control", "private, No-Store")
        switch status {
        case 206: rig.head(206, [("Content-Range", "bytes 400000-999999/1000000"), ("ETag", "\"v1\""), field])
        default: rig.head(status, [("Content-Length", "1000000"), ("ETag", "\"v1\""), field])
        }
        #expect(rig.forgotten == 1 && rig.confirmed.isEmpty)
        #expect(rig.range == "bytes=0-" && rig.field("If-None-Match") == nil && rig.field("If-Range") == nil)
        rig.head(206, [("Content-Range", "bytes 0-999999/1000000"), ("ETag", "\"v1\""), field])
        let transfer = try #require(rig.transfer)
        #expect(rig.download.keptOffset(of: transfer) == nil && rig.download.resource?.mayBeKept == false)
        rig.send(0..<total)
        #expect(try rig.holds(0..<total))
        #expect(rig.download.failure == nil && rig.forgotten == 1)
    }

    @Test func aMediaThatMayNoLongerBeStored_leavesTheCache_whileItIsRead() throws {
        var rig = rig([0..<100_000, 600_000..<700_000])
        rig.head(206, [("Content-Range", "bytes 100000-599999/1000000"), ("ETag", "\"v1\"")])
        #expect(rig.ask(at: 0) == .cached(upTo: 100_000))
        rig.send(100_000..<600_000)
        rig.end()
        #expect(rig.range == "bytes=700000-" && rig.forgotten == 0)
        let range = ("Content-Range", "bytes 700000-999999/1000000")
        rig.head(206, [range, ("ETag", "\"v1\""), ("Cache-Control", "no-store")])
        #expect(rig.forgotten == 1 && rig.range == "bytes=0-99999" && rig.field("If-Range") == "\"v1\"")
        rig.head(206, [("Content-Range", "bytes 0-99999/1000000"), ("ETag", "\"v1\""), ("Cache-Control", "no-store")])
        rig.send(0..<100_000)
        #expect(try rig.holds(0..<600_000))
        #expect(rig.download.failure == nil && rig.forgotten == 1)
    }

    @Test func aFileIsKept_andOneThatMayNotBeStoredIsNot() throws {
        for (field, offset) in [("no-cache", 0), ("no-store", nil)] as [(String, Int64?)] {
            var rig = DownloadRig()
            rig.head(200, [("Content-Length", "1000000"), ("Cache-Control", "private"), ("cache-control", field)])
            let transfer = try #require(rig.transfer)
            #expect(rig.download.keptOffset(of: transfer) == offset)
            #expect(rig.download.resource?.mayBeKept == (offset != nil))
        }
    }

    @Test(arguments: [401, 403, 404, 410, 429, 500, 503]) func aMediaThatTheServerRefuses_isStillPlayed(
        status: Int
    ) {
        var rig = staleRig()
        rig.head(status)
        #expect(rig.ask(at: 0) == .cached(upTo: total))
        #expect(rig.confirmed.isEmpty && rig.forgotten == 0 && rig.download.failure == nil)
    }

    @Test func anUnreachableServer_isNotWaitedFor() {
        var rig = staleRig()
        rig.drop()
        #expect(rig.ask(at: 0) == .cached(upTo: total))
        var silent = staleRig()
        silent.pass(2.9)
        #expect(silent.ask(at: 0) == .wait)
        silent.pass(0.2)
        #expect(silent.ask(at: 0) == .cached(upTo: total))
        #expect(silent.transfer == nil && silent.requests.count == 1 && silent.confirmed.isEmpty)
    }

    @Test func redirectsAreFollowed_andALoopDoesNotPreventPlayback() {
        var rig = staleRig()
        for _ in 0..<6 { rig.head(302, [("Location", "/elsewhere")]) }
        #expect(rig.requests.count == 6 && rig.field("If-None-Match") == "\"v1\"")
        #expect(rig.ask(at: 0) == .cached(upTo: total))
    }

    @Test(
        arguments: [
            ("max-age=60", nil, 60.0), ("no-cache", nil, 0), ("no-store, max-age=9", nil, 0), ("max-age=60", "90", 0),
            ("", nil, nil),
            ("immutable, max-age=5", nil, Freshness.longest), ("max-age=-5", nil, nil), ("public", nil, nil),
        ] as [(String, String?, Double?)]) func lifetime(field: String, age: String?, seconds: Double?)
    {
        let head = TransferHead(
            status: 200,
            headers: [TransferHeader("Cache-Control", field)] + (age.map { [TransferHeader("Age", $0)] } ?? []))
        #expect(Freshness.lifetime(head) == seconds)
        let facts = CachedFacts(lifetime: seconds)
        let limit = seconds ?? Freshness.usual
        #expect(Freshness.isFresh(facts, age: limit / 2) == (limit > 0))
        #expect(!Freshness.isFresh(facts, age: (seconds ?? Freshness.usual) + 1))
    }

    @Test func anIncompleteMedia_isReadOnlyAfterRevalidation() {
        var rig = rig([0..<400_000])
        #expect(rig.range == "bytes=400000-")
        #expect(rig.field("If-Range") == "\"v1\"")
        #expect(rig.ask(at: 0) == .wait)
        rig.part(from: 400_000, of: total)
        #expect(rig.ask(at: 0) == .cached(upTo: 400_000))
        #expect(rig.requests.count == 1)
    }

    @Test func onlyMissingRangesAreRequested() {
        var rig = rig([0..<100_000, 600_000..<700_000])
        #expect(rig.range == "bytes=100000-599999")
        rig.head(206, [("Content-Range", "bytes 100000-599999/1000000"), ("ETag", "\"v1\"")])
        rig.send(100_000..<600_000)
        rig.end()
        #expect(rig.range == "bytes=700000-")
        rig.part(from: 700_000, of: total)
        rig.send(700_000..<total)
        rig.end()
        #expect(rig.requests.count == 2)
        #expect(rig.reports.last?.ranges == [0..<total])
        #expect(rig.reports.last?.isSatisfied == true)
    }

    @Test func aServerWithoutRangesIsReadThrough() {
        var rig = rig([0..<400_000])
        rig.head(200, [("Content-Length", "1000000"), ("ETag", "\"v1\"")])
        #expect(rig.forgotten == 0)
        #expect(rig.ask(at: 0) == .cached(upTo: 400_000))
        rig.send(0..<total)
        rig.end()
        #expect(rig.requests.count == 1)
        #expect(rig.reports.last?.ranges == [0..<total])
    }

    @Test func withoutANetwork_cachedBytesArePlayed() {
        var rig = rig([0..<400_000])
        for pause in [1.0, 2, 4] {
            rig.drop()
            rig.pass(pause + 0.01)
        }
        rig.drop()
        #expect(rig.ask(at: 0) == .cached(upTo: 400_000))
        guard case .failed(let error) = rig.ask(at: 400_000) else { return #expect(Bool(false), "no failure") }
        #expect(error.code == .network)
    }

    @Test func bytesLostFromTheCache_areLoadedAgain() {
        var rig = rig([0..<total])
        _ = rig.ask(at: 0)
        rig.cacheFailed()
        #expect(rig.forgotten == 1)
        #expect(rig.range == "bytes=0-")
        #expect(rig.field("If-Range") == "\"v1\"")
    }

    @Test func writtenBytesAreAvailable_afterTheyLeftTheWindow() {
        var rig = DownloadRig(memory: 1 << 20)
        let long: Int64 = 4 << 20
        rig.part(from: 0, of: long)
        var place: Int64 = 0
        while place < long {
            _ = rig.ask(at: place)
            place = max(place + 65_536, rig.send((rig.download.fetch?.cursor ?? long)..<long))
            rig.download.cacheGrew(0..<min(place, long))
        }
        #expect(rig.ask(at: 100_000) == .cached(upTo: long))
        #expect(rig.requests.count <= 2)
    }
}
