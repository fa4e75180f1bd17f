// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Testing

@testable import MediaWorkerProtocol

@Suite struct MessageTests {
    static let source = WorkerSource(size: 1 << 40, isSeekable: true, isLocal: false, isOutline: true)

    static let requests: [WorkerRequest] = [
        .open(source), .open(WorkerSource(size: nil, isSeekable: false, isLocal: true)), .decode(frames: 4_096),
        .seek(frame: 1 << 40), .picture, .bytes(17), .bytes(nil), .thumbnail(source, time: 13.5, edge: 320),
        .scale(source, edge: 64),
    ]

    static let replies: [WorkerReply] = [
        .ready, .read(offset: 1 << 35, count: 32_768), .opened(media), .opened(bare),
        .decoded(WorkerProgress(frames: 99, endOfStream: true, damage: 3, format: media.format, duration: 12)),
        .decoded(WorkerProgress(frames: 0)), .sought(frame: 7), .sought(frame: 0),
        .picture([1, 2, 3]), .image(time: 12.96, bytes: [0xFF, 0xD8]),
        .failed(WorkerFailure(.unsupported, "it is coded as äc3")),
    ]

    static let bare = WorkerMedia(
        format: AudioFormat(sampleRate: 44_100, layout: .mono), duration: nil, durationIsExact: false,
        isSeekable: false, codec: "opus")

    static let media: WorkerMedia = {
        let surround = ChannelLayout(positions: [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight,
        ])
        var media = WorkerMedia(
            format: AudioFormat(sampleRate: 352_800, layout: surround), duration: 1 << 40, durationIsExact: true,
            isSeekable: true, codec: "flac", bitrate: 900_000, bitsPerSample: 24)
        media.tags = [.init("title", "題"), .init("track", "3/12")]
        media.chapters = [.init(start: 0, end: 1.5, title: "One"), .init(start: 1.5, end: 3, title: "")]
        (media.hasPicture, media.isCut) = (true, true)
        return media
    }()

    /// The kind and body of a message.
    private func parts(_ message: [UInt8]) throws -> (kind: UInt8, body: [UInt8]) {
        let head = try FrameHead(message.prefix(FrameHead.size))
        #expect(head.length == message.count - FrameHead.size)
        return (head.kind, Array(message.dropFirst(FrameHead.size)))
    }

    @Test(arguments: requests) func request_survivesTheRoundTrip(request: WorkerRequest) throws {
        let (kind, body) = try parts(request.message())
        #expect(try WorkerRequest(kind: kind, body: body) == request)
    }

    @Test(arguments: replies) func reply_survivesTheRoundTrip(reply: WorkerReply) throws {
        let (kind, body) = try parts(reply.message())
        #expect(try WorkerReply(kind: kind, body: body) == reply)
    }

    @Test(arguments: replies) func cutReply_isRefused(reply: WorkerReply) throws {
        let (kind, body) = try parts(reply.message())
        for length in 0..<body.count {
            #expect(throws: WireError.self) { try WorkerReply(kind: kind, body: Array(body.prefix(length))) }
        }
        #expect(throws: WireError.self) { try WorkerReply(kind: kind, body: body + [0]) }
    }

    /// A hostile worker may write anything: it is refused or understood, and nothing else happens.
    @Test func anyBytes_areRefusedOrUnderstood() {
        var random = SeededGenerator(seed: 1)
        var refused = 0
        for _ in 0..<20_000 {
            let reply = Self.replies.randomElement(using: &random) ?? .ready
            var body = Array(reply.message().dropFirst(FrameHead.size))
            for _ in 0..<Int.random(in: 1...4, using: &random) where !body.isEmpty {
                body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let kind = UInt8.random(in: 0...10, using: &random)
            do { _ = try WorkerReply(kind: kind, body: body) } catch { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    @Test func longMessage_isRefusedByItsHead() throws {
        func head(_ length: UInt32, kind: UInt8) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [kind, 0, 0, 0]
        }
        #expect(throws: WireError.self) { try FrameHead(head(1 << 20 + 1, kind: 3)) }
        #expect(throws: WireError.self) { try FrameHead(head(.max, kind: 6)) }
        #expect(throws: WireError.self) { try FrameHead([1, 0, 0, 0, 3, 0, 0, 9]) }
        #expect(throws: WireError.self) { try FrameHead([1, 0, 0]) }
        #expect(try FrameHead(head(16 << 20, kind: 6)).length == 16 << 20)
    }

    @Test(arguments: [
        WorkerReply.read(offset: -1, count: 10), .read(offset: 0, count: SharedMemory.inputCapacity + 1),
        .read(offset: 0, count: 0), .decoded(WorkerProgress(frames: SharedMemory.sampleCapacity + 1)),
    ]) func impossibleNumbers_areRefused(reply: WorkerReply) throws {
        let (kind, body) = try parts(reply.message())
        #expect(throws: WireError.self) { try WorkerReply(kind: kind, body: body) }
    }
}
