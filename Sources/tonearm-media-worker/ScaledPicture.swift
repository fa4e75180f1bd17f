// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol
internal import Kernel

/// Scales down a picture and encodes it as JPEG.
enum ScaledPicture {
    static let edges = 16...2_048
    /// Pictures are decoded as a whole, and a small file may decode to gigabytes.
    static let mostPixels: Int64 = 40_000_000

    /// A picture from a tag or folder.
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
        defer {
            release(codec, avcodec_free_context)
            release(packet, av_packet_free)
            release(frame, av_frame_free)
        }
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
        return .image(time: 0, bytes: try jpeg(frame, edge: edge))
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

    /// No edge of the result is longer than `edge`. Smaller pictures keep their size.
    static func jpeg(_ frame: UnsafeMutablePointer<AVFrame>, edge: Int) throws(WorkerFailure) -> [UInt8] {
        let edge = min(max(edge, edges.lowerBound), edges.upperBound)
        let aspect = frame.pointee.sample_aspect_ratio
        let stretch = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1
        let width = Double(frame.pointee.width) * stretch
        let height = Double(frame.pointee.height)
        guard width >= 1, height >= 1, width < 1e6 else { throw WorkerFailure(.unsupported, "it has no size") }
        let scale = min(1, Double(edge) / max(width, height))
        guard let target = av_frame_alloc() else { throw .outOfMemory }
        defer { release(target, av_frame_free) }
        target.pointee.width = Int32(clamping: max(1, (width * scale).rounded()))
        target.pointee.height = Int32(clamping: max(1, (height * scale).rounded()))
        target.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        target.pointee.color_range = AVCOL_RANGE_JPEG
        guard av_frame_get_buffer(target, 0) >= 0 else { throw .outOfMemory }
        let scaler = sws_getContext(
            frame.pointee.width, frame.pointee.height, AVPixelFormat(frame.pointee.format), target.pointee.width,
            target.pointee.height, AV_PIX_FMT_YUVJ420P, Int32(SWS_AREA), nil, nil, nil)
        guard let scaler else { throw WorkerFailure(.unsupported, "its pictures cannot be scaled") }
        defer { sws_freeContext(scaler) }
        guard sws_scale_frame(scaler, target, frame) >= 0 else {
            throw WorkerFailure(.unsupported, "its pictures cannot be scaled")
        }
        return try encode(target)
    }

    private static func encode(_ frame: UnsafeMutablePointer<AVFrame>) throws(WorkerFailure) -> [UInt8] {
        guard let encoder = avcodec_find_encoder(AV_CODEC_ID_MJPEG), let codec = avcodec_alloc_context3(encoder),
            let packet = av_packet_alloc()
        else { throw .outOfMemory }
        defer {
            release(codec, avcodec_free_context)
            release(packet, av_packet_free)
        }
        codec.pointee.width = frame.pointee.width
        codec.pointee.height = frame.pointee.height
        codec.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        codec.pointee.color_range = AVCOL_RANGE_JPEG
        codec.pointee.time_base = AVRational(num: 1, den: 25)
        codec.pointee.thread_count = 1
        codec.pointee.flags |= AV_CODEC_FLAG_QSCALE
        codec.pointee.global_quality = 4 * FF_QP2LAMBDA
        frame.pointee.quality = codec.pointee.global_quality
        frame.pointee.pts = 0
        guard avcodec_open2(codec, encoder, nil) >= 0, avcodec_send_frame(codec, frame) >= 0,
            avcodec_receive_packet(codec, packet) >= 0, let data = packet.pointee.data
        else { throw WorkerFailure(.unsupported, "its pictures cannot be written as JPEG") }
        return Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
    }
}
