// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@testable import Media

@Suite struct DownloadTapTests {
    private static let icy = [("icy-name", "Test FM"), ("Content-Type", "audio/mpeg")]

    @Test func aStation_isTappedFromTheReadPosition_andGapsAreReported() throws {
        var rig = DownloadRig()
        rig.head(200, Self.icy)
        rig.send(0..<40_000)
        _ = try rig.read(at: 10_000)
        #expect(rig.download.beginTap() == 10_000)
        #expect(rig.download.tap(at: 10_000) == .available(upTo: .max, isAfterGap: false))
        #expect(rig.download.tap(at: 40_000) == .wait)
        rig.drop()
        rig.pass(2)
        rig.head(200, Self.icy)
        rig.send(40_000..<50_000)
        #expect(rig.download.tap(at: 39_000) == .available(upTo: 40_000, isAfterGap: false))
        #expect(rig.download.tap(at: 40_000) == .available(upTo: .max, isAfterGap: true))
        #expect(rig.download.tap(at: 45_000) == .available(upTo: .max, isAfterGap: false))
    }

    @Test func aFile_isTappedFromItsBeginning_toItsEnd() throws {
        var rig = DownloadRig()
        rig.head(200, [("Content-Length", "100000"), ("Accept-Ranges", "bytes")])
        rig.send(0..<60_000)
        _ = try rig.read(at: 50_000)
        #expect(rig.download.beginTap() == 0)
        #expect(rig.download.tap(at: 60_000) == .wait)
        // The same bytes go on after a drop: nothing is missing.
        rig.drop()
        #expect(rig.download.tap(at: 60_000) == .wait)
        rig.pass(2)
        rig.part(from: 60_000, of: 100_000)
        rig.send(60_000..<100_000)
        rig.end()
        #expect(rig.download.tap(at: 60_000) == .available(upTo: .max, isAfterGap: false))
        #expect(rig.download.tap(at: 100_000) == .end)
    }

    @Test func aSeekElsewhere_endsTheTap_butNotOneWithinLoadedBytes() throws {
        var rig = DownloadRig()
        rig.head(200, [("Content-Length", "9000000"), ("Accept-Ranges", "bytes")])
        rig.send(0..<600_000)
        _ = try rig.read(at: 0)
        #expect(rig.download.beginTap() == 0)
        _ = try rig.read(at: 500_000)
        _ = try rig.read(at: 10_000)
        #expect(rig.download.tap(at: 600_000) == .wait)
        _ = try rig.read(at: 8_000_000)
        #expect(rig.download.tap(at: 600_000) == .elsewhere)
        #expect(rig.download.tap(at: 100_000) == .available(upTo: .max, isAfterGap: false))
    }

    @Test func bytesThatLeftTheWindow_areLost_andAFileNeedsItsBeginning() throws {
        var rig = DownloadRig(memory: 512 << 10)
        rig.head(200, [("Content-Length", "9000000"), ("Accept-Ranges", "bytes")])
        rig.send(0..<200_000)
        _ = try rig.read(at: 0)
        #expect(rig.download.beginTap() == 0)
        for place in stride(from: Int64(100_000), to: 900_000, by: 100_000) {
            _ = try rig.read(at: place)
            rig.send(place + 100_000..<place + 200_000)
        }
        #expect(rig.download.tap(at: 120_000) == .late)
        rig.download.tapped = nil
        #expect(rig.download.beginTap() == nil)
    }

    @Test func aClosedDownload_failsItsTap() throws {
        var rig = DownloadRig()
        rig.head(200, Self.icy)
        rig.send(0..<40_000)
        #expect(rig.download.beginTap() == 0)
        _ = rig.download.close()
        guard case .failed(let error) = rig.download.tap(at: 0) else { return #expect(Bool(false)) }
        #expect(error.code == .cancelled)
    }
}
