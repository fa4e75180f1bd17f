// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct DownloadTests {
    /// Otherwise it would wake up forever.
    @Test func nothingIsDue_whenTheReaderIsBackAtTheReportedPosition() throws {
        var rig = DownloadRig(of: 1_000_000, sent: 200_000)
        rig.pass(0.2)
        for offset: Int64 in [0, 100_000, 0] { _ = rig.ask(at: offset) }
        rig.pass(1)
        #expect(rig.download.reporting.nextDue == nil)
    }

    private let total: Int64 = 1_000_000

    @Test func theFirstRequestIsARangeOfEverything() throws {
        var rig = DownloadRig()
        #expect(rig.range == "bytes=0-")
        rig.part(from: 0, of: total)
        rig.send(0..<total)
        rig.end()
        #expect(try rig.holds(0..<total))
        #expect(rig.requests.count == 1)
        #expect(try rig.read(at: total) == [])
        #expect(rig.reports.last?.ranges == [0..<total])
        #expect(rig.reports.last?.isSatisfied == true)
    }

    @Test func aDropIsResumedAtTheExactByteOfTheSameVersion() throws {
        var rig = DownloadRig(of: total, sent: 123_457)
        #expect(try rig.holds(0..<1_000))
        rig.drop()
        #expect(rig.transfer == nil)
        rig.pass(0.99)
        #expect(rig.transfer == nil)
        rig.pass(0.02)
        #expect(rig.range == "bytes=123457-")
        #expect(rig.field("If-Range") == "\"v1\"")
        rig.part(from: 123_457, of: total)
        rig.send(123_457..<total)
        rig.end()
        #expect(try rig.holds(0..<total))
    }

    @Test func retriesAreOneTwoAndFourSecondsApart_andTheFourthFailureIsFinal() throws {
        var rig = DownloadRig(of: total, sent: 10_000)
        for pause in [1.0, 2, 4] {
            rig.drop()
            rig.pass(pause - 0.01)
            #expect(rig.transfer == nil)
            rig.pass(0.02)
            #expect(rig.transfer != nil)
        }
        rig.drop()
        // Loaded bytes still play.
        #expect(try rig.holds(0..<10_000))
        let error = #expect(throws: MediaError.self) { try rig.read(at: 10_000) }
        #expect(error?.code == .network)
    }

    @Test func tenSecondsOfDeliveryResetTheRetries() throws {
        var rig = DownloadRig()
        rig.part(from: 0, of: total)
        for round in 0..<8 {
            let start = Int64(round) * 50_000
            for piece in 0..<11 {
                rig.send(start + Int64(piece) * 1_000..<start + Int64(piece + 1) * 1_000)
                rig.pass(1)
            }
            rig.drop()
            rig.pass(1.01)
            #expect(rig.transfer != nil, "round \(round)")
            rig.part(from: start + 11_000, of: total)
            rig.send(start + 11_000..<start + 50_000)
        }
    }

    @Test func aFullWindowPausesTheTransfer_andReadingResumesIt() throws {
        var rig = DownloadRig(memory: 1 << 20)
        let long: Int64 = 100 << 20
        rig.part(from: 0, of: long)
        var offset = rig.send(0..<long)
        #expect(rig.isPaused)
        #expect(offset <= 1 << 20)
        #expect(rig.download.isSatisfied)
        var place: Int64 = 0
        while place < 8 << 20 {
            try #require(try rig.holds(place..<place + 65_536))
            place += 65_536
            if !rig.isPaused { offset = rig.send(offset..<long) }
            let held = rig.download.window.loaded.ranges.reduce(0) { $0 + $1.count }
            #expect(held <= 1 << 20 + 65_536)
        }
        // The beginning stays loaded.
        #expect(try rig.holds(0..<65_536))
    }

    @Test func aConnectionThatEndsWhilePausedIsNoFailure() throws {
        var rig = DownloadRig(memory: 1 << 20)
        let long: Int64 = 100 << 20
        rig.part(from: 0, of: long)
        for _ in 0..<6 {
            let offset = rig.send(rig.download.fetch!.cursor..<long)
            #expect(rig.isPaused)
            rig.drop()
            #expect(rig.transfer == nil)
            rig.pass(60)
            #expect(rig.transfer == nil, "no request before there is room")
            #expect(try rig.holds(offset - 65_536..<offset))
            #expect(rig.range == "bytes=\(offset)-")
            rig.part(from: offset, of: long)
        }
    }

    @Test func aSeekRequestsItsPart_andGoingBackLoadsNothingTwice() throws {
        var rig = DownloadRig(of: 4_000_000, sent: 200_000)
        #expect(try rig.read(at: 2_400_000) == nil)
        #expect(rig.range == "bytes=2400000-")
        rig.part(from: 2_400_000, of: 4_000_000)
        rig.send(2_400_000..<4_000_000)
        rig.end()
        #expect(Array(rig.download.window.loaded.ranges) == [0..<200_000, 2_400_000..<4_000_000])
        #expect(try rig.holds(100_000..<200_000))
        #expect(try rig.read(at: 200_000) == nil)
        #expect(rig.range == "bytes=200000-2399999")
        rig.head(206, [("Content-Range", "bytes 200000-2399999/4000000"), ("ETag", "\"v1\"")])
        rig.send(200_000..<2_400_000)
        rig.end()
        #expect(Array(rig.download.window.loaded.ranges) == [0..<4_000_000])
        #expect(try rig.holds(0..<4_000_000))
        #expect(rig.requests.count == 3)
    }

    @Test func aSmallGapIsReadThrough() throws {
        var rig = DownloadRig(of: total, sent: 10_000)
        #expect(try rig.read(at: 200_000) == nil)
        #expect(rig.requests.count == 1)
        rig.send(10_000..<300_000)
        #expect(try rig.holds(200_000..<300_000))
    }

    @Test func aServerWithoutRangesIsReadThrough_andReadAgainFromTheStartAfterADrop() throws {
        var rig = DownloadRig()
        rig.head(200, [("Content-Length", "\(total)")])
        #expect(rig.download.resource?.hasRanges == false)
        rig.send(0..<100_000)
        #expect(try rig.read(at: 900_000) == nil)
        #expect(rig.requests.count == 1)
        rig.drop()
        rig.pass(1.01)
        #expect(rig.range == nil)
        rig.head(200, [("Content-Length", "\(total)")])
        rig.send(0..<total)
        rig.end()
        #expect(try rig.holds(0..<total))
    }

    @Test func aServerThatIgnoresARangeIsReadThrough() throws {
        var rig = DownloadRig(of: total, sent: 10_000)
        #expect(try rig.read(at: 600_000) == nil)
        #expect(rig.range == "bytes=600000-")
        rig.head(200, [("Content-Length", "\(total)"), ("ETag", "\"v1\"")])
        rig.send(0..<total)
        #expect(try rig.holds(600_000..<total))
    }

    @Test func anotherVersionIsAnErrorOnceSomethingWasRead() throws {
        var rig = DownloadRig(of: total, sent: 50_000)
        #expect(try rig.holds(0..<10_000))
        rig.drop()
        rig.pass(1.01)
        rig.head(200, [("Content-Length", "\(total + 5)"), ("ETag", "\"v2\"")])
        let error = #expect(throws: MediaError.self) { try rig.read(at: 50_000) }
        #expect(error?.message.contains("has changed") == true)
    }

    @Test func anotherVersionIsTakenBeforeAnythingWasRead() throws {
        var rig = DownloadRig(of: total, sent: 50_000)
        rig.drop()
        rig.pass(1.01)
        rig.part(from: 50_000, of: total + 5, tag: "\"v2\"")
        #expect(rig.download.resource?.size?.bytes == total + 5)
        #expect(try rig.read(at: 0) == nil)
        #expect(rig.range == "bytes=0-" && rig.requests.count == 3)
    }

    @Test func aBodyShorterThanAnnounced_endsWhereTheServerSaysSo() throws {
        var rig = DownloadRig()
        rig.head(200, [("Content-Length", "\(total)"), ("Accept-Ranges", "bytes")])
        rig.send(0..<400_000)
        #expect(try rig.holds(0..<400_000))
        rig.drop()
        rig.pass(1.01)
        rig.head(416, [("Content-Range", "bytes */400000")])
        #expect(try rig.read(at: 400_000) == [])
    }

    @Test func withoutALength_theEndGivesIt() throws {
        var rig = DownloadRig()
        rig.head(200, [("Transfer-Encoding", "chunked")])
        rig.send(0..<70_000)
        #expect(rig.download.resource?.size == nil)
        #expect(try rig.holds(0..<70_000))
        rig.end()
        #expect(rig.download.resource?.size == 70_000)
        #expect(try rig.read(at: 70_000) == [])
    }

    @Test func reportsAreAtMostTenASecond_andTheLastOneIsNeverLost() {
        var rig = DownloadRig()
        rig.part(from: 0, of: total)
        for step in 0..<1_000 {
            rig.send(Int64(step) * 1_000..<Int64(step + 1) * 1_000)
            rig.pass(0.001)
        }
        // Row 45: ten in the second, and one for the start.
        #expect((10...11).contains(rig.reports.count), "\(rig.reports.count)")
        rig.end()
        rig.pass(1)
        #expect(rig.reports.last?.ranges == [0..<total])
        #expect(rig.reports.last?.bytesPerSecond == 0)
        #expect(rig.reports.contains { (500_000...2_000_000).contains($0.bytesPerSecond) })
    }

    @Test func aStallIsReported_andItsEnd() {
        var rig = DownloadRig(of: total, sent: 100_000)
        rig.pass(1.1)
        #expect(rig.reports.last?.isStalled == true)
        rig.send(100_000..<120_000)
        #expect(rig.reports.last?.isStalled == false)
    }
}
