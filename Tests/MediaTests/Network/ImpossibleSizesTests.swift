// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Media

/// Numbers in response heads that no file has: an error or "unknown", never a trap.
@Suite struct ImpossibleSizesTests {
    static let numbers = [
        "9223372036854775807", "4611686018427387904", "9007199254740993", "281474976710657", "0", "-1", "NaN",
        "99999999999999999999999",
    ]

    /// Lets a reader have whatever comes, then ends the connection and asks again, until nothing more happens.
    private func exhaust(_ rig: inout DownloadRig) {
        for offset: Int64 in [0, 16_384, ByteCount.largest, .max - 1] { _ = rig.ask(at: offset) }
        rig.sendRaw([UInt8](repeating: 7, count: 20_000))
        _ = rig.ask(at: 10)
        rig.end()
        rig.pass(60)
        _ = rig.download.beginTap()
        _ = rig.download.tap(at: .max - 1)
        #expect(rig.reports.last?.bytesAhead ?? 0 >= 0)
        #expect(rig.download.resource?.size?.bytes ?? 0 <= ByteCount.largest)
    }

    @Test(arguments: numbers) func contentRangeOfSuchASize_isUnknownOrRefused(number: String) {
        for field in [
            "bytes 0-\(number)/\(number)", "bytes 0-9/\(number)", "bytes 0-\(number)/*", "bytes 0-\(number)/20000",
        ] {
            var rig = DownloadRig()
            rig.head(206, [("Content-Range", field), ("ETag", "\"v1\"")])
            exhaust(&rig)
            rig = DownloadRig()
            rig.part(from: 0, of: 100_000)
            rig.drop()
            rig.pass(2)
            rig.head(206, [("Content-Range", field)])
            exhaust(&rig)
        }
    }

    @Test(arguments: numbers) func contentLengthOfSuchASize_isUnknown(number: String) {
        for extra in [[], [("icy-name", "X"), ("icy-metaint", number), ("icy-br", number)], [("ETag", "\"v1\"")]] {
            var rig = DownloadRig()
            rig.head(200, [("Content-Length", number), ("Content-Type", "audio/mpeg")] + extra)
            exhaust(&rig)
        }
    }

    @Test(arguments: numbers) func unsatisfiedRangeOfSuchASize_endsTheMediaOrFails(number: String) {
        for known in [true, false] {
            var rig = DownloadRig()
            if known {
                rig.part(from: 0, of: 100_000)
                rig.drop()
                rig.pass(2)
            }
            rig.head(416, [("Content-Range", "bytes */\(number)")])
            exhaust(&rig)
        }
    }

    @Test(arguments: numbers) func timesOfSuchALength_areBounded(number: String) {
        var rig = DownloadRig()
        rig.head(503, [("Retry-After", number)])
        rig.pass(60)
        rig = DownloadRig()
        rig.head(200, [("Cache-Control", "max-age=\(number)"), ("Age", number), ("Content-Length", "1000")])
        exhaust(&rig)
    }

    @Test func contentRange_keepsWhatItCanKnow() {
        let huge = ContentRange("bytes 0-9223372036854775806/9223372036854775807")
        #expect(huge?.first == 0 && huge?.total == nil)
        #expect(ContentRange("bytes 0-9223372036854775806/10") == nil)
        #expect(ContentRange("bytes 5-9/*")?.first == 5)
        #expect(ContentRange("bytes 5-9223372036854775807/*") == nil)
        #expect(ContentRange("bytes 5-9/10")?.total == 10)
        #expect(ContentRange("bytes 5-9/9") == nil)
        #expect(ContentRange("bytes 9-5/*") == nil)
        #expect(ContentRange("bytes -1-5/*") == nil)
        #expect(ContentRange("bytes */281474976710656")?.total == ByteCount(ByteCount.largest))
        let unknown = ContentRange("bytes 0-9/281474976710657")
        #expect(unknown?.first == 0 && unknown?.total == nil)
    }
}
