// SPDX-License-Identifier: Apache-2.0

internal import MediaWorkerProtocol
internal import Kernel
public import Playback

extension MediaWorkers {
    /// The video frame at `seconds` as JPEG, with its own time; nil beyond the end. Blocks.
    public func thumbnail(
        of source: any ByteSource, at seconds: Double, edge: Int
    ) throws(MediaError) -> (time: Double, jpeg: [UInt8])? {
        let conversation = WorkerConversation(try start(), source, limits, verdict: "gives no picture")
        let request = WorkerRequest.thumbnail(conversation.description(), time: seconds, edge: edge)
        do throws(MediaError) {
            guard let reply = try conversation.askOrMiss(request) else { return nil }
            return try conversation.image(reply)
        } catch  where error.code == .unsupported || error.code == .empty {
            throw try Self.withoutPicture(source, error)
        }
    }

    /// For formats without video, the error is that there is no video rather than that it cannot be decoded.
    private static func withoutPicture(_ source: any ByteSource, _ error: MediaError) throws(MediaError) -> MediaError {
        switch FileSignature(try source.bytes(at: 0, count: 4_096)) {
        case .mp4, .matroska, .asf, .ogg, .transportStream: return error
        default: return MediaError(.unsupported, "\(source.name) gives no picture: there is no video in it.")
        }
    }

    /// The picture as JPEG, with no edge longer than `edge`. Blocks.
    public func scaled(_ picture: [UInt8], edge: Int) throws(MediaError) -> [UInt8] {
        let source = PictureSource(picture)
        return try borrow(for: source, verdict: "cannot be scaled") { conversation throws(MediaError) in
            conversation.process.files += 1
            let request = WorkerRequest.scale(conversation.description(), edge: edge)
            return try conversation.image(try conversation.ask(request)).jpeg
        }
    }
}

extension WorkerConversation {
    /// Checks that the image is a JPEG, as browsers get it under that type and the worker is not trusted.
    fileprivate func image(_ reply: WorkerReply) throws(MediaError) -> (time: Double, jpeg: [UInt8]) {
        guard case .image(let time, let bytes) = reply, bytes.starts(with: [0xFF, 0xD8, 0xFF]), time >= 0 else {
            throw unexpected()
        }
        return (time, bytes)
    }
}

/// A picture in memory.
private final class PictureSource: ByteSource {
    let name = "the picture"
    let isSeekable = true
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var size: ByteCount? { ByteCount(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let part = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
        buffer.copyBytes(from: part)
        return part.count
    }

    func close() {}
}
