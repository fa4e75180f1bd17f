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
}
