// SPDX-License-Identifier: Apache-2.0

import Media
import Testing

@testable import LoadedLibraries

@Suite struct HeadReaderTests {
    private func heads(_ text: String, _ reader: inout HeadReader) -> [TransferHead] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            Array((line + "\r\n").utf8).withUnsafeBytes { reader.take($0) }
        }
    }

    @Test func aHeadIsReportedOnce_withoutInterimResponsesOrTrailers() {
        var reader = HeadReader()
        let found = heads(
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 206 Partial Content\nContent-Type:  audio/mpeg \nX-Empty:\n\nX-Trailer: 1\n\n",
            &reader)
        #expect(
            found == [
                TransferHead(
                    status: 206,
                    headers: [TransferHeader("Content-Type", "audio/mpeg"), TransferHeader("X-Empty", "")])
            ])
        #expect(found.first?["content-type"] == "audio/mpeg")
    }

    @Test func icyStatusLinesAreRead() {
        var reader = HeadReader()
        #expect(heads("ICY 200 OK\nicy-name: Jazz\n\n", &reader).first?["icy-name"] == "Jazz")
    }

    @Test func aFloodOfFieldsIsRefused() {
        var reader = HeadReader()
        #expect(heads("HTTP/1.1 200 OK\n" + String(repeating: "A: b\n", count: 1_000) + "\n", &reader).isEmpty)
        #expect(reader.refusal != nil)
        var wide = HeadReader()
        #expect(heads("HTTP/1.1 200 OK\nA: " + String(repeating: "b", count: 70_000) + "\n\n", &wide).isEmpty)
        #expect(wide.refusal != nil)
    }
}
