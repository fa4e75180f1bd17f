// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import Synchronization
import Testing

@testable import Media

@Suite struct PartsLoadingTests {
    /// A report may cause the next one.
    @Test func reportsAreMadeWithoutALock_andTheLastOneArrives() {
        let reported = Mutex<[MediaLoading]>([])
        let parts = Mutex<PartsLoading?>(nil)
        let progress = PartsLoading(count: 1) { loading in
            let count = reported.withLock { reported in
                reported.append(loading)
                return reported.count
            }
            guard count < 3 else { return }
            parts.withLock { $0 }?.receive(Self.loading(Int64(count + 1) * 1_000), of: 0)
        }
        parts.withLock { $0 = progress }
        progress.opened(Self.media, 0)
        progress.receive(Self.loading(1_000), of: 0)
        let ends = reported.withLock { $0.compactMap(\.ranges.last?.upperBound) }
        #expect(ends.count == 3 && ends == ends.sorted() && Set(ends).count == 3)
        parts.withLock { $0 = nil }
    }

    private static var media: MediaDescription {
        var media = MediaDescription(format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: 441_000)
        media.audioBytes = 0..<100_000
        return media
    }

    private static func loading(_ end: Int64) -> MediaLoading {
        MediaLoading(
            ranges: [0..<end], size: 100_000, place: 0, bytesPerSecond: 0, isStalled: false, isSatisfied: false)
    }
}
