// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

/// Scales down a decoded picture and encodes it as JPEG.
enum ScaledPicture {
    static let edges = 16...2_048

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
        defer {
            var freed: UnsafeMutablePointer<AVFrame>? = target
            av_frame_free(&freed)
        }
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
            var freedCodec: UnsafeMutablePointer<AVCodecContext>? = codec
            var freedPacket: UnsafeMutablePointer<AVPacket>? = packet
            avcodec_free_context(&freedCodec)
            av_packet_free(&freedPacket)
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
