// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import Service
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

    /// The picture in the tags must not wait a second time for a server that hangs.
    @Test func addressThatFailed_isAskedAgainOnlyAfterACancellation() throws {
        let folder = try TemporaryFolder()
        let found = Mailbox<String?>()
        let media = NoPictures()
        let artwork = ArtworkFiles(directory: folder.path, media: media) { found.post($1) }
        var request = ArtworkFiles.Request(
            item: ItemID(number: 1), address: MediaLocator(uri: "http://example.net/a"),
            locator: MediaLocator(uri: "a.mp3"))
        artwork.request(request)
        #expect(found.answer() == nil)
        request.picture = ScriptedMediaAccess.picture
        artwork.request(request)
        #expect(found.answer()?.hasSuffix(".jpg") == true && media.asked.value == 1)
        artwork.cancel()
        artwork.request(request)
        #expect(found.answer()?.hasSuffix(".jpg") == true && media.asked.value == 2)
        artwork.stop()
    }
}

/// Every server refuses its picture.
private final class NoPictures: MediaAccess {
    let asked = Published<Int, Never>(0)

    func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        asked.update { $0 += 1 }
        throw MediaError(.network, "no answer")
    }
}
