// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

/// A follower as clients see it.
@Suite struct PlayerCommandFollowingTests {
    /// In the leader's queue, the follower's id may name another item.
    @Test func itsErrorsNameTheLeadersItem() {
        let (own, leaders) = (ItemID(number: 7), ItemID(number: 3))
        var leader = PlayerSnapshot()
        leader.item = CurrentItem(item: QueueItem(id: leaders, draft: ItemDraft(uri: "a")), index: 4)
        var follower = PlayerSnapshot()
        let copy = ItemDraft(uri: "a", reference: leaders.number)
        follower.item = CurrentItem(item: QueueItem(id: own, draft: copy), index: 0)
        follower.error = PlaybackError(.network, "The server does not answer.", itemID: own)
        follower.item?.error = follower.error
        let shown = follower.following(leader)
        #expect(shown.item?.item.id == leaders && shown.item?.error?.itemID == leaders)
        #expect(shown.error?.itemID == leaders)
    }

    /// `playing` is shown exactly while the position advances. The leader was paused and then sought.
    @Test(arguments: [0.0, 1]) func whileItSounds_thePositionIsItsOwn(rate: Double) {
        var leader = PlayerSnapshot()
        (leader.clock.position, leader.clock.rate) = (1, 0.5)
        var follower = PlayerSnapshot()
        (follower.clock.position, follower.clock.rate) = (20, rate)
        let shown = follower.following(leader).clock
        #expect(shown.rate == rate && shown.position == (rate == 0 ? 1 : 20))
    }
}
