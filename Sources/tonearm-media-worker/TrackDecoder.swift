// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// Packets of one track become frames of samples.
final class TrackDecoder {
    let stream: UnsafeMutablePointer<AVStream>
    /// Damaged spots passed over.
    private(set) var damage = 0
    private let container: Container
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    let frame: UnsafeMutablePointer<AVFrame>
    private var isDraining = false
    /// Failures of the demuxer in a row: it finds its place again, or it does not.
    private var failuresInARow = 0
    /// What the decoder made of the last packet counts as one spot, however many calls complain about it.
    private var isDamaged = false

    init(
        _ container: Container, _ stream: UnsafeMutablePointer<AVStream>,
        of table: [String: String] = AllowedFormats.audio
    ) throws(WorkerFailure) {
        self.container = container
        self.stream = stream
        let parameters = stream.pointee.codecpar!
        let name = AllowedFormats.name(parameters.pointee.codec_id)
        guard let decoder = AllowedFormats.decoder(parameters.pointee.codec_id, of: table) else {
            throw WorkerFailure(.unsupported, "its codec \(name) is not supported")
        }
        guard let made = avcodec_alloc_context3(decoder), let packet = av_packet_alloc(), let frame = av_frame_alloc()
        else {
            throw .outOfMemory
        }
        self.packet = packet
        self.frame = frame
        codec = made
        avcodec_parameters_to_context(codec, parameters)
        codec.pointee.pkt_timebase = stream.pointee.time_base
        codec.pointee.thread_count = 1
        codec.pointee.max_samples = 1 << 22
        codec.pointee.max_pixels = 1 << 26
        let code = avcodec_open2(codec, decoder, nil)
        guard code >= 0 else {
            throw WorkerFailure(.unsupported, "its \(name) cannot be decoded (\(Container.text(code)))")
        }
    }

    deinit { Self.free(codec, packet, frame) }

    static func free(
        _ codec: UnsafeMutablePointer<AVCodecContext>, _ packet: UnsafeMutablePointer<AVPacket>,
        _ frame: UnsafeMutablePointer<AVFrame>
    ) {
        var (codec, packet, frame) = (Optional(codec), Optional(packet), Optional(frame))
        avcodec_free_context(&codec)
        av_packet_free(&packet)
        av_frame_free(&frame)
    }

    /// Samples of each frame where they are all the same number; 0 else.
    var frameSize: Int { max(Int(codec.pointee.frame_size), Int(stream.pointee.codecpar.pointee.frame_size)) }
    /// Of lossless codings, when the decoder knows it.
    var bitsPerSample: Int? {
        let isLossless = AllowedFormats.isLossless(AllowedFormats.name(codec.pointee.codec_id))
        return isLossless && codec.pointee.bits_per_raw_sample > 0 ? Int(codec.pointee.bits_per_raw_sample) : nil
    }

    /// The first packet's time, in the stream's time base. It may give no frame: all of it may be trimmed.
    private(set) var firstTime: Int64?

    /// Bytes without a frame after which nothing more is expected, as in MPEG audio.
    private static let longestGap = 24 << 20

    enum Step { case frame, end, nothingYet }

    /// Decodes until there is a frame in `frame`, the media ends, or `mustPause` is true.
    func next(mustPause: () -> Bool) throws(WorkerFailure) -> Step {
        while true {
            let code = avcodec_receive_frame(codec, frame)
            if code >= 0 {
                if frame.pointee.decode_error_flags != 0 { noteDamage() }
                return .frame
            }
            if code == cffmpeg_end_of_file { return .end }
            if code != -EAGAIN { noteDamage() }
            if isDraining, code != -EAGAIN { return .end }
            if mustPause() { return .nothingYet }
            try feed()
        }
    }

    /// After a seek of the container.
    func flush() {
        avcodec_flush_buffers(codec)
        isDraining = false
        failuresInARow = 0
    }

    private func feed() throws(WorkerFailure) {
        // Within this, a parser searches for the next frame.
        container.input.allowance = container.mayHoldPictures ? nil : Self.longestGap
        let code = av_read_frame(container.context, packet)
        container.input.allowance = nil
        guard code >= 0 else {
            if container.input.hasFailed { throw WorkerFailure(.source, "reading failed") }
            if code != cffmpeg_end_of_file {
                failuresInARow += 1
                noteDamage()
                if failuresInARow < 16 { return }
            }
            isDraining = true
            avcodec_send_packet(codec, nil)
            return
        }
        defer { av_packet_unref(packet) }
        guard packet.pointee.stream_index == stream.pointee.index else { return }
        failuresInARow = 0
        isDamaged = false
        if firstTime == nil, packet.pointee.pts != cffmpeg_no_timestamp { firstTime = packet.pointee.pts }
        if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { noteDamage() }
        if avcodec_send_packet(codec, packet) < 0 { noteDamage() }
    }

    private func noteDamage() {
        if !isDamaged { damage += 1 }
        isDamaged = true
    }
}
