// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@Suite struct MediaLocatorTests {
    @Test(arguments: [
        ("http://a/b", true), ("HTTPS://a", true), ("https:", true), ("http:x", true), ("a/http://b", false),
        ("http", false), ("httpx://a", false), ("https2://a", false), ("file:///a", false), ("", false), (":", false),
        ("ħttp://a", false), ("htt\u{301}p://a", false), ("a:b.mp3", false),
    ])
    func network_isRecognisedByTheScheme(uri: String, isNetwork: Bool) {
        #expect(MediaLocator(uri: uri).isNetwork == isNetwork)
        #expect(QueueItem(id: ItemID(number: 1), draft: ItemDraft(uri: uri)).isRemote == isNetwork)
    }

    @Test func addresses_areEqualByTheirBytes() {
        #expect(Set(["\u{E9}", "e\u{301}", "\u{E9}"].map { MediaLocator(uri: $0) }).count == 2)
    }
}
