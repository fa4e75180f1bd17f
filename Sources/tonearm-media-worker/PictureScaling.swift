// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// Scales down a picture from a tag or folder.
enum PictureScaling {
    /// Pictures are decoded as a whole, and a small file may decode to gigabytes.
    static let mostPixels: Int64 = 40_000_000

    static func image(_ bytes: any SourceBytes, _ source: WorkerSource, edge: Int) throws(WorkerFailure) -> WorkerReply
    {
        guard let size = source.size, (1...Int64(Container.largestPicture)).contains(size) else {
            throw WorkerFailure(.unsupported, "its picture size is invalid")
        }
        guard let content = bytes.bytes(at: 0, Int(size)) else { throw .readFailed }
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
