// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct OutputFileTests {
    @Test(arguments: [
        ("music.wav", "music-a.wav"), ("/x.y/music", "/x.y/music-a"), ("/x/.wav", "/x/.wav-a"),
        ("/x/a.b.wav", "/x/a.b-a.wav"),
    ])
    func fileOfEachPlayerIsAnother(path: String, own: String) {
        #expect(Server.path(path, of: "a") == own)
    }
}
