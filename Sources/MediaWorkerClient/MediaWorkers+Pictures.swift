// SPDX-License-Identifier: Apache-2.0

public import Media
internal import MediaWorkerProtocol
public import Playback

extension MediaWorkers {
    /// The frame that a video shows at `seconds`, as JPEG, and when it is shown; nil behind the end. Blocks.
    public func thumbnail(
        of source: any ByteSource, at seconds: Double, edge: Int
    ) throws(MediaError) -> (time: Double, jpeg: [UInt8])? {
        let conversation = WorkerConversation(try start(), source, limits)
        let reply = try conversation.askOrMiss(.thumbnail(conversation.description(), time: seconds, edge: edge))
        guard let reply else { return nil }
        return try conversation.image(reply)
    }

    /// A picture as JPEG with no edge longer than `edge`. Blocks.
    public func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8] {
        let source = PictureSource(picture)
        return try borrow(for: source) { conversation throws(MediaError) in
            conversation.process.files += 1
            let request = WorkerRequest.scale(conversation.description(), edge: edge)
            return try conversation.image(try conversation.ask(request)).jpeg
        }
    }
}

extension WorkerConversation {
    /// JPEG by its first bytes: what goes to browsers is what it is called, whoever made it.
    fileprivate func image(_ reply: WorkerReply) throws(MediaError) -> (time: Double, jpeg: [UInt8]) {
        guard case .image(let time, let bytes) = reply, bytes.starts(with: [0xFF, 0xD8, 0xFF]), time >= 0 else {
            throw unexpected(reply)
        }
        return (time, bytes)
    }
}

/// A picture that is in memory already.
private final class PictureSource: ByteSource {
    let name = "the picture"
    let isSeekable = true
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var size: Int64? { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let part = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: part)
        return part.count
    }

    func close() {}
}
