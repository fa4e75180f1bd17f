// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct ReplyReaderTests {
    /// Feeds `text` in pieces of `size` bytes.
    private func read(_ text: String, by size: Int) throws -> (reader: ReplyReader, body: String) {
        var reader = ReplyReader()
        let body = try pieces(text, of: size).flatMap { try reader.feed($0) }
        return (reader, String(decoding: body, as: UTF8.self))
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func counted_isOverAfterItsLength(size: Int) throws {
        let (reader, body) = try read("HTTP/1.1 200 OK\r\nContent-LENGTH: 5\r\n\r\nhello", by: size)
        #expect(reader.isOver && reader.status == 200 && body == "hello")
    }

    @Test(arguments: [1, 3, 1_000])
    func chunked_joinsItsChunks(size: Int) throws {
        let text =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        let (reader, body) = try read(text, by: size)
        #expect(reader.isOver && body == "abc0123456789")
    }

    @Test func interimResponse_isSkipped() throws {
        let (reader, body) = try read(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", by: 5)
        #expect(reader.status == 201 && body == "x")
    }

    @Test func bodyWithoutLength_endsWithTheConnection() throws {
        let part = try read("HTTP/1.0 200 OK\r\n\r\nabc", by: 4)
        var reader = part.reader
        #expect(!reader.isOver && part.body == "abc")
        try reader.close()
        #expect(reader.isOver)
    }

    @Test func noBody_whenNotModifiedOrEmpty() throws {
        #expect(try read("HTTP/1.1 204 No Content\r\n\r\n", by: 9).reader.isOver)
        #expect(try read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", by: 9).reader.isOver)
    }

    @Test func closedEarly_isTruncated() throws {
        for text in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"] {
            var reader = try read(text, by: 3).reader
            #expect(throws: ReplyReader.Invalid.truncated) { try reader.close() }
        }
    }

    @Test func invalidResponse_isRejected() {
        for text in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"] {
            #expect(throws: ReplyReader.Invalid.notHTTP) { try read(text, by: 100) }
        }
        let flood = "HTTP/1.1 200 OK\r\n" + String(repeating: "x", count: 100_000)
        #expect(throws: ReplyReader.Invalid.tooLarge) { try read(flood, by: 100_000) }
    }
}

@Suite struct EventLinesTests {
    @Test(arguments: [1, 4, 1_000])
    func events_areExtracted(size: Int) {
        var lines = EventLines()
        let text = ": hello\n\nid: 1\ndata: {\"a\":1}\n\ndata:x\r\ndata: y\r\n\r\ndata: unfinished"
        let events = pieces(text, of: size).flatMap { lines.feed($0) }
        #expect(events.map { String(decoding: $0, as: UTF8.self) } == ["{\"a\":1}", "x\ny"])
    }
}

private func pieces(_ text: String, of size: Int) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
}
