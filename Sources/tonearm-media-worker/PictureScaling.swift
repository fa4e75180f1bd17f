// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// A picture from a tag or a folder, made smaller.
enum PictureScaling {
    /// A picture is decoded as a whole: a small file may hold one of gigabytes.
    static let mostPixels: Int64 = 40_000_000

    static func image(_ bytes: any SourceBytes, _ source: WorkerSource, edge: Int) throws(WorkerFailure) -> WorkerReply
    {
        let content = try all(bytes, source)
        guard let kind = kind(content), let decoder = avcodec_find_decoder_by_name(kind) else {
            throw WorkerFailure(.unsupported, "it is not a picture of a known format")
        }
        guard let codec = avcodec_alloc_context3(decoder), let packet = av_packet_alloc(), let frame = av_frame_alloc()
        else { throw .outOfMemory }
        defer { TrackDecoder.free(codec, packet, frame) }
        codec.pointee.thread_count = 1
        codec.pointee.max_pixels = mostPixels
        guard avcodec_open2(codec, decoder, nil) >= 0, av_new_packet(packet, Int32(content.count)) >= 0 else {
            throw .outOfMemory
        }
        content.withUnsafeBytes {
            packet.pointee.data.update(from: $0.bindMemory(to: UInt8.self).baseAddress!, count: $0.count)
        }
        var code = avcodec_send_packet(codec, packet)
        if code >= 0 { code = avcodec_receive_frame(codec, frame) }
        if code == -EAGAIN {
            avcodec_send_packet(codec, nil)
            code = avcodec_receive_frame(codec, frame)
        }
        guard code >= 0 else { throw WorkerFailure(.unsupported, "it cannot be decoded (\(Container.text(code)))") }
        return .image(time: 0, bytes: try ScaledPicture.jpeg(frame, edge: edge))
    }

    private static func all(_ bytes: any SourceBytes, _ source: WorkerSource) throws(WorkerFailure) -> [UInt8] {
        guard let size = source.size, (1...Int64(Container.largestPicture)).contains(size) else {
            throw WorkerFailure(.unsupported, "its picture size is invalid")
        }
        var content = [UInt8](repeating: 0, count: Int(size))
        var filled = 0
        while filled < content.count {
            let got = content.withUnsafeMutableBytes {
                bytes.read(at: Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard let got, got > 0 else { throw WorkerFailure(.source, "reading failed") }
            filled += got
        }
        return content
    }

    /// The decoder's name, by the first bytes.
    private static func kind(_ content: [UInt8]) -> String? {
        if content.starts(with: [0xFF, 0xD8, 0xFF]) { return "mjpeg" }
        if content.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "png" }
        if content.starts(with: Array("GIF8".utf8)) { return "gif" }
        if content.starts(with: Array("BM".utf8)) { return "bmp" }
        if content.starts(with: Array("RIFF".utf8)), content.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "webp"
        }
        return nil
    }
}
