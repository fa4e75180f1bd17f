// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct DownloadLiveTests {
    private static let fields = [("icy-name", "Test FM"), ("icy-br", "128,64"), ("icy-metaint", "1000")]

    private func live() -> DownloadRig {
        var rig = DownloadRig()
        rig.head(200, Self.fields)
        return rig
    }

    /// Sends `interval` bytes of sound and one block.
    private func sendTurn(_ title: String, to rig: inout DownloadRig) {
        let text = "StreamTitle='\(title)';"
        let size = (text.utf8.count + 15) / 16
        rig.sendRaw(
            [UInt8](repeating: 7, count: 1_000) + [UInt8(size)] + Array(text.utf8)
                + [UInt8](repeating: 0, count: size * 16 - text.utf8.count))
    }

    @Test func metadataIsRequested_whateverTheItemsFieldsSay() {
        let rig = DownloadRig(fields: [TransferHeader("icy-metadata", "0")])
        #expect(rig.requests[0].headers.filter { $0.name.lowercased() == "icy-metadata" }.map(\.value) == ["1"])
    }

    @Test func titlesApplyFromTheirByte_theFirstOneFromTheStart() throws {
        var rig = live()
        #expect(rig.download.live.broadcast(at: 0).programme == nil)
        for title in ["One", "One", "Two", "Three"] { sendTurn(title, to: &rig) }
        let at = { (offset: Int64) in rig.download.live.broadcast(at: offset).programme?.title }
        #expect(at(0) == "One")
        #expect(at(2_999) == "One")
        #expect(at(3_000) == "Two")
        #expect(at(4_000) == "Three")
        #expect(rig.download.live.broadcast(at: 0).station == "Test FM")
        #expect(rig.download.live.broadcast(at: 0).bitrate == 128_000)
        // Not a byte of it among the sound.
        #expect(Array(rig.download.window.loaded.ranges) == [0..<4_000])
        #expect(try rig.read(at: 0)?.contains { $0 != 7 } == false)
    }

    @Test func afterTheEndOfAConnection_theNextOneContinuesAtTheNextByte() throws {
        var rig = live()
        sendTurn("One", to: &rig)
        _ = try rig.read(at: 0)
        rig.end()
        rig.pass(1.01)
        #expect(rig.range == nil)
        rig.head(200, Self.fields + [("ETag", "\"another\"")])
        sendTurn("Two", to: &rig)
        #expect(Array(rig.download.window.loaded.ranges) == [0..<2_000])
        #expect(rig.download.live.broadcast(at: 999).programme?.title == "One")
        #expect(rig.download.live.broadcast(at: 1_000).programme?.title == "Two")
        #expect(rig.download.failure == nil)
    }

    /// A server that restarts is back within half a minute.
    @Test func itFails_whenNoMoreBytesArriveForHalfAMinute() throws {
        var rig = live()
        sendTurn("One", to: &rig)
        _ = try rig.read(at: 0)
        for pause in [1.0, 2, 4, 8, 8, 8] {
            rig.end()
            rig.pass(pause - 0.01)
            #expect(rig.transfer == nil)
            rig.pass(0.02)
            rig.head(200, Self.fields)
        }
        rig.end()
        #expect(throws: MediaError.self) { try rig.read(at: 1_000) }
    }

    @Test func aStationThatIsBrieflyMissing_isRetried() throws {
        var rig = live()
        sendTurn("One", to: &rig)
        _ = try rig.read(at: 0)
        rig.drop()
        rig.pass(1.01)
        rig.head(404)
        #expect(rig.download.failure == nil)
        rig.pass(2.01)
        rig.head(200, Self.fields)
        sendTurn("Two", to: &rig)
        #expect(Array(rig.download.window.loaded.ranges) == [0..<2_000])
    }

    @Test(arguments: [("2147483647", true), ("1000", false)])
    func aLengthMakesItAFile_unlessItIsAPlaceholder(length: String, isLive: Bool) {
        var rig = DownloadRig()
        rig.head(200, [("icy-name", "X"), ("Content-Length", length)])
        #expect(rig.download.resource?.isLive == isLive)
        #expect(rig.download.resource?.size == (isLive ? nil : 1_000))
    }

    // MARK: Without a station's fields

    private static let plain = [("Content-Type", "audio/mpeg"), ("Transfer-Encoding", "chunked")]

    @Test(arguments: [
        [("ETag", "\"v1\"")], [("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")], [("Accept-Ranges", "bytes")],
        [("Content-Length", "1000")], [("Content-Type", "audio/x-mpegurl")], [("Content-Type", "video/mp4")],
    ]) func anyMarkOfAFile_makesItAFile(field: [(String, String)]) {
        var rig = DownloadRig()
        rig.head(200, field + Self.plain)
        #expect(rig.download.resource?.isLive == false)
    }

    @Test func audioWithoutAnyMark_isAStation() throws {
        var rig = DownloadRig()
        rig.head(200, Self.plain)
        #expect(rig.download.resource?.isLive == true)
        // In real time, as it is played.
        for second in Int64(0)..<12 {
            rig.send(second * 16_000..<(second + 1) * 16_000)
            _ = rig.ask(at: second * 16_000)
            rig.pass(1)
        }
        rig.end()
        #expect(rig.download.resource?.isLive == true)
        rig.pass(1.01)
        #expect(rig.requests.count == 2 && rig.range == nil)
    }

    @Test func aBodyThatEndsEarlyOrSoon_isAFile() throws {
        for (bytes, seconds) in [(Int64(400_000), 12.0), (40_000, 1)] {
            var rig = DownloadRig()
            rig.head(200, Self.plain)
            rig.send(0..<bytes)
            rig.pass(seconds)
            _ = rig.ask(at: 10_000)
            rig.end()
            #expect(rig.download.resource?.isLive == false)
            #expect(rig.ask(at: bytes) == .end)
            #expect(rig.requests.count == 1)
        }
    }

    @Test func aBodyMuchFasterThanPlayback_isAFile() throws {
        var rig = DownloadRig()
        rig.head(200, Self.plain)
        rig.send(0..<1_900_000)
        #expect(rig.download.resource?.isLive == true)
        rig.send(1_900_000..<2_200_000)
        #expect(rig.download.resource?.isLive == false)
    }

    @Test func aPiece_isNeverAStation_andLoadsItsRangeOnly() {
        var rig = DownloadRig(piece: NetworkPiece(range: 1_000..<3_000))
        #expect(rig.requests[0].headers == [TransferHeader("Range", "bytes=1000-2999")])
        rig.head(206, [("Content-Range", "bytes 1000-2999/9000")])
        rig.send(1_000..<3_000)
        rig.end()
        #expect(rig.requests.count == 1)
        #expect(rig.ask(at: 2_999) == .available)
        #expect(rig.ask(at: 3_000) == .end)
        var whole = DownloadRig(piece: NetworkPiece(range: nil))
        #expect(whole.requests[0].headers.isEmpty)
        whole.head(200, Self.plain)
        #expect(whole.download.resource?.isLive == false)
        #expect(whole.download.resource?.mayBeKept == false, "the cache would later give a file")
    }

    @Test func manyTitlesTakeLittleMemory() throws {
        var rig = live()
        for number in 0..<2_000 { sendTurn("Title \(number)", to: &rig) }
        #expect(rig.download.live.markCount <= LiveStream.maximumMarks)
        #expect(rig.download.live.broadcast(at: 2_000_000).programme?.title == "Title 1999")
    }
}
