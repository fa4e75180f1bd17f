// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import ServiceTesting
import Testing

@testable import Desktop

@Suite struct ArtworkFilesTests {
    @Test func withoutAThread_thereIsNoPicture_butTheNextRequestSucceeds() throws {
        let folder = try TemporaryFolder()
        let found = Mailbox<String?>()
        let artwork = ArtworkFiles(directory: folder.path, media: ScriptedMediaAccess()) { found.post($1) }
        let request = ArtworkFiles.Request(
            item: ItemID(number: 1), locator: MediaLocator(uri: "a.mp3"), picture: ScriptedMediaAccess.picture)
        NamedThread.$isRefused.withValue(true) { artwork.request(request) }
        #expect(found.answer() == nil)
        artwork.request(request)
        #expect(found.answer()?.hasSuffix(".jpg") == true)
        artwork.stop()
    }
}
