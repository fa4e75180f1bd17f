// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Media
import Playback
import Testing

@testable import tonearm

@Suite struct WaitingCheckTests {
    /// Opening it would take the decoder that is reserved for the next sound.
    @Test func waitingFile_isListedNotOpened() throws {
        let folder = try TemporaryFolder()
        try folder.file("anything")
        let check = WaitingCheck(
            roots: MusicRoots([folder.path]), examiner: MediaExaminer(factories: [ListingOnly()]))
        let answer = Mailbox<PlaybackError?>()
        check.begin(["anything"]) { answer.post($0) }
        let error = try #require(answer.take(until: .now.advanced(bySeconds: 60)).first)
        #expect(error?.code == .empty && error?.message == "It was listed." && error?.part == 0)
    }

    @Test func webAddress_isNotRequested() {
        let answer = Mailbox<PlaybackError?>()
        let check = WaitingCheck(roots: MusicRoots([]), examiner: MediaExaminer(factories: []))
        check.begin(["http://localhost:1/a.mp3"]) { answer.post($0) }
        #expect(answer.take(until: .now) == [nil])
    }
}

private struct ListingOnly: DecoderFactory {
    func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool { true }

    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        throw MediaError(.unsupported, "It was opened.")
    }

    func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline {
        throw MediaError(.empty, "It was listed.")
    }
}
