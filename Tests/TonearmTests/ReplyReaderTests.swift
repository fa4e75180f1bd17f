// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct ReplyReaderTests {
    /// Feeds `text` in pieces of `size` bytes.
    private func read(_ text: String, by size: Int) throws -> (reader: ReplyReader, body: String) {
        var reader = ReplyReader()
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            body += try reader.feed(Array(bytes[start..<min(bytes.count, start + size)]))
        }
        return (reader, String(decoding: body, as: UTF8.self))
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func counted_isOverAfterItsLength(size: Int) throws {
        let (reader, body) = try read("HTTP/1.1 200 OK\r\nContent-LENGTH: 5\r\n\r\nhello", by: size)
        #expect(reader.isOver)
        #expect(reader.head?.status == 200)
        #expect(body == "hello")
    }

    @Test(arguments: [1, 3, 1_000])
    func chunked_joinsItsChunks(size: Int) throws {
        let text =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
        let (reader, body) = try read(text, by: size)
        #expect(reader.isOver)
        #expect(body == "abc0123456789")
    }

    @Test func interimResponse_isSkipped() throws {
        let (reader, body) = try read(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", by: 5)
        #expect(reader.head?.status == 201)
        #expect(body == "x")
    }

    @Test func untilClose_isOverThen() throws {
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
            #expect(throws: ReplyReader.Wrong.truncated) { try reader.close() }
        }
    }

    @Test func nonsense_isRefused() {
        for text in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"] {
            #expect(throws: ReplyReader.Wrong.notHTTP) { try read(text, by: 100) }
        }
        let flood = "HTTP/1.1 200 OK\r\n" + String(repeating: "x", count: 100_000)
        #expect(throws: ReplyReader.Wrong.tooLarge) { try read(flood, by: 100_000) }
    }
}

@Suite struct EventLinesTests {
    @Test(arguments: [1, 4, 1_000])
    func events_areTakenOut(size: Int) {
        var lines = EventLines()
        let bytes = Array(": hello\n\nid: 1\ndata: {\"a\":1}\n\ndata:x\r\ndata: y\r\n\r\ndata: unfinished".utf8)
        var events: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += lines.feed(Array(bytes[start..<min(bytes.count, start + size)])).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        #expect(events == ["{\"a\":1}", "x\ny"])
    }
}
