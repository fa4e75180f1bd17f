// SPDX-License-Identifier: Apache-2.0

import Playback
import ServiceTesting
import Testing

@testable import Desktop

struct MediaPlayerObjectTests {
    let harness = ObjectHarness()

    @Test func steadyPlay_signalsNothing() {
        harness.player.play()
        #expect(!harness.signals().isEmpty)
        for _ in 0..<99 {
            harness.player.advance(0.1)
            harness.player.change { $0.statistics.bufferedAhead += 0.1 }
            #expect(harness.signals().isEmpty)
        }
    }

    @Test func jump_isSignalledOnce_andPositionIsNotAChangedProperty() {
        harness.play()
        harness.player.advance(1)
        harness.player.play(at: 5)
        #expect(harness.signals() == ["Seeked"])
        #expect(harness.signals().isEmpty)
        harness.player.advance(0.5)
        #expect(harness.get("Position") == .int64(5_500_000))
    }

    @Test func pauseAndResume_areNotJumps() {
        harness.play()
        harness.player.advance(2)
        harness.player.stand(.paused, at: 2, wantsSound: false)
        #expect(harness.signals() == ["PropertiesChanged(PlaybackStatus)"])
        harness.player.advance(30)
        #expect(harness.get("Position") == .int64(2_000_000))
        harness.player.play(at: 2)
        #expect(harness.signals() == ["PropertiesChanged(PlaybackStatus)"])
    }

    @Test func newItem_changesTheMetadata_andIsAJumpOnlyIfItBeginsLater() {
        harness.play()
        harness.player.advance(9)
        harness.player.play(1)
        #expect(harness.signals() == ["PropertiesChanged(Metadata)"])
        harness.player.play(2, at: 3)
        #expect(harness.signals() == ["PropertiesChanged(CanGoNext Metadata)", "Seeked"])
    }

    @Test(arguments: [PlayerStatus.buffering, .interrupted, .seeking, .loading])
    func statusIsPaused_afterALongSilence(_ status: PlayerStatus) {
        harness.play()
        harness.player.advance(2)
        harness.player.stand(status, at: 2)
        var changes = harness.signals()
        if status != .interrupted {
            #expect(changes.isEmpty, "a short wait is not signalled")
            #expect(harness.object.deadline != nil)
        }
        harness.player.advance(MediaPlayerObject.shortWait)
        changes += harness.signals()
        #expect(changes.contains("PropertiesChanged(PlaybackStatus)"))
        #expect(harness.get("PlaybackStatus") == .text("Paused"))
        #expect(harness.object.deadline == nil)
        // The client's clock ran slightly longer than the music.
        if status != .interrupted { #expect(changes.last == "Seeked") }
    }

    @Test func shortSeek_isOneSignal() {
        harness.play()
        harness.player.stand(.seeking, at: 6)
        #expect(harness.signals() == ["Seeked"])
        harness.player.advance(0.02)
        harness.player.play(at: 6)
        #expect(harness.signals().isEmpty)
    }

    @Test func lateArtwork_ofAnEarlierItemIsDropped() {
        harness.player.play()
        let first = harness.player.items[0].id
        harness.player.play(1)
        _ = harness.signals()
        harness.object.setArtwork("file:///old.jpg", of: first)
        #expect(harness.signals().isEmpty)
        harness.object.setArtwork("file:///new.jpg", of: harness.player.items[1].id)
        #expect(harness.signals() == ["PropertiesChanged(Metadata)"])
        harness.player.play(2)
        _ = harness.signals()
        guard case .dictionary(let metadata)? = harness.get("Metadata") else { return #expect(Bool(false)) }
        #expect(metadata["mpris:artUrl"] == nil)
    }

    @Test func trackList_isAWindowAroundTheCurrentItem() {
        let harness = ObjectHarness(ScriptedPlayer(items: 3_000))
        harness.player.play(2_000)
        #expect(harness.signals().contains("TrackListReplaced"))
        guard case .paths(let paths)? = harness.get("Tracks", InterfaceName.trackList) else {
            return #expect(Bool(false))
        }
        #expect(paths.count == TrackWindow.limit)
        #expect(paths.contains(TrackPath.text(harness.player.items[2_000].id)))
        harness.player.play(2_001)
        #expect(!harness.signals().contains("TrackListReplaced"))
    }
}
