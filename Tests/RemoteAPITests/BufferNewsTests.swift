// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel

@testable import RemoteAPI

@Suite struct BufferNewsTests {
    private final class Rig {
        var news = BufferNews()

        func report(_ loaded: LoadedMedia, now: MonotonicTime) -> Bool { news.report(loaded, now: now) }
    }

    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func loaded(_ end: Double) -> LoadedMedia {
        var snapshot = PlayerSnapshot()
        var loaded = LoadedTime()
        loaded.ranges = [0..<end]
        loaded.end = end
        snapshot.loaded = loaded
        return LoadedMedia(snapshot)
    }

    @Test func change_isReportedAtOnce_andOnce() {
        let rig = Rig()
        #expect(rig.report(loaded(1), now: start))
        #expect(!rig.report(loaded(1), now: start.advanced(bySeconds: 1)))
        #expect(rig.news.nextDue == nil && !rig.news.isDue(start.advanced(bySeconds: 9)), "nothing waits")
    }

    @Test func earlyChange_waitsForTheInterval() {
        let rig = Rig()
        #expect(rig.report(loaded(1), now: start))
        let due = start.advanced(bySeconds: BufferNews.interval)
        #expect(!rig.report(loaded(2), now: start.advanced(bySeconds: 0.06)))
        #expect(rig.news.nextDue == due && !rig.news.isDue(start.advanced(bySeconds: 0.09)) && rig.news.isDue(due))
        #expect(rig.report(loaded(3), now: due))
        #expect(rig.news.nextDue == nil)
    }

    @Test func waitingChange_isDropped_whenItIsUndone() {
        let rig = Rig()
        #expect(rig.report(loaded(1), now: start))
        #expect(!rig.report(loaded(2), now: start))
        #expect(!rig.report(loaded(1), now: start.advanced(bySeconds: 0.05)))
        #expect(rig.news.nextDue == nil)
    }

    @Test func sameValues_areReportedAgain_afterForget_butNotSooner() {
        let rig = Rig()
        #expect(rig.report(loaded(1), now: start))
        rig.news.forget()
        #expect(!rig.report(loaded(1), now: start.advanced(bySeconds: 0.05)))
        #expect(rig.report(loaded(1), now: start.advanced(bySeconds: BufferNews.interval)))
    }
}
