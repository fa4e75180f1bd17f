// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import Testing

@testable import Desktop

@Suite struct ArtworkFilesTests {
    @Test func withoutThread_thereIsNoPicture_andTheNextIsShown() throws {
        let folder = try TemporaryFolder()
        let found = Mailbox<String?>()
        let pictures = MPRISPictures(
            web: { _, _ throws(MediaError) in [] }, folder: { _ throws(MediaError) in [0xFF, 0xD8, 0xFF, 0xE0] })
        let artwork = ArtworkFiles(directory: folder.path, pictures: pictures) { found.post($1) }
        let request = ArtworkFiles.Request(item: ItemID(number: 1), locator: MediaLocator(uri: "a.mp3"))
        NamedThread.$isRefused.withValue(true) { artwork.request(request) }
        #expect(found.answer() == nil)
        artwork.request(request)
        #expect(found.answer()?.hasSuffix(".jpg") == true)
        artwork.stop()
    }
}
