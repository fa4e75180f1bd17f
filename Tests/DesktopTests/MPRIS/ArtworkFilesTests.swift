// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playback
import Testing
import Kernel

@testable import Desktop

@Suite struct ArtworkFilesTests {
    @Test func withoutThread_thereIsNoPicture_andTheNextIsShown() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tonearm-art-\(UUID())").path
        defer { do { try FileManager.default.removeItem(atPath: directory) } catch { print("\(directory): \(error)") } }
        let found = Mailbox<String?>()
        let pictures = MPRISPictures(
            web: { _, _ throws(MediaError) in [] }, folder: { _ throws(MediaError) in [0xFF, 0xD8, 0xFF, 0xE0] })
        let artwork = ArtworkFiles(directory: directory, pictures: pictures) { found.post($1) }
        let request = ArtworkFiles.Request(item: ItemID(number: 1), locator: MediaLocator(uri: "a.mp3"))
        NamedThread.$isRefused.withValue(true) { artwork.request(request) }
        #expect(found.take(until: nil) == [nil])
        artwork.request(request)
        #expect(found.take(until: nil).first??.hasSuffix(".jpg") == true)
        artwork.stop()
    }
}
