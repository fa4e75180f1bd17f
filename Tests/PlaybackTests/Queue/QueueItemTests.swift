// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@Suite struct QueueItemTests {
    /// An item keeps its draft only where it is not plain: a member that `isPlain` forgets would be lost.
    @Test func draft_comesBack_whicheverMemberItHas() {
        let changes: [(inout ItemDraft) -> Void] = [
            { $0.title = "t" }, { $0.artist = "a" }, { $0.album = "b" }, { $0.artworkURI = "p" }, { $0.beginTime = 1 },
            { $0.loops = 1 }, { $0.headers = ["a": "b"] }, { $0.oneShot = OneShot(timeout: 1) }, { $0.reach = .public },
            { $0.reference = 1 }, { $0.source = ItemSource(.folder, id: "f", name: "f") },
        ]
        #expect(Mirror(reflecting: ItemDraft(uri: "a")).children.count == changes.count + 1)
        for change in changes {
            var draft = ItemDraft(uri: "a")
            change(&draft)
            #expect(QueueItem(id: ItemID(number: 1), draft: draft).draft == draft)
        }
    }
}
