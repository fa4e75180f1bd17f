// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import Kernel
internal import MediaWorkerProtocol

/// Decodes the packets of one track.
final class TrackDecoder {
    let stream: UnsafeMutablePointer<AVStream>
    /// Skipped damaged spots.
    private(set) var damage = 0
    private let container: Container
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    let frame: UnsafeMutablePointer<AVFrame>
    private var isDraining = false
    /// Consecutive demuxer errors, after which it may resynchronize or not.
    private var failuresInARow = 0
    /// The last packet is damaged and has been counted. Further errors from it do not count.
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

    deinit {
        release(codec, avcodec_free_context)
        release(packet, av_packet_free)
        release(frame, av_frame_free)
    }

    /// Samples per frame if fixed; 0 otherwise.
    var frameSize: Int { max(Int(codec.pointee.frame_size), Int(stream.pointee.codecpar.pointee.frame_size)) }

    /// For lossless codecs, if the decoder knows it.
    var bitsPerSample: Int? {
        let isLossless = AllowedFormats.isLossless(AllowedFormats.name(codec.pointee.codec_id))
        return isLossless && codec.pointee.bits_per_raw_sample > 0 ? Int(codec.pointee.bits_per_raw_sample) : nil
    }

    /// The first packet's timestamp in the stream's time base. The packet may produce no frame, if it is trimmed completely.
    private(set) var firstTime: Int64?

    /// Bytes without a frame after which the search ends, as for MPEG audio.
    private static let longestGap = 24 << 20

    enum Step { case frame, end, nothingYet }

    /// Decodes until `frame` is filled, the file ends, or the budget is spent.
    func next(within budget: WorkBudget) throws(WorkerFailure) -> Step {
        while true {
            let code = avcodec_receive_frame(codec, frame)
            if code >= 0 {
                if frame.pointee.decode_error_flags != 0 { noteDamage() }
                return .frame
            }
            if code == cffmpeg_end_of_file { return .end }
            if code != -EAGAIN { noteDamage() }
            if isDraining, code != -EAGAIN { return .end }
            if budget.isSpent { return .nothingYet }
            try feed()
        }
    }

    /// Call after a seek of the container.
    func flush() {
        avcodec_flush_buffers(codec)
        isDraining = false
        failuresInARow = 0
    }

    private func feed() throws(WorkerFailure) {
        // Bounds a parser's search for the next frame.
        container.input.allowance = container.mayHoldPictures ? nil : Self.longestGap
        let code = av_read_frame(container.context, packet)
        container.input.allowance = nil
        guard code >= 0 else {
            try container.input.check()
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

/// Frees an object of FFmpeg by `free`, which also clears the pointer that it gets.
func release<Object>(
    _ object: UnsafeMutablePointer<Object>, _ free: (UnsafeMutablePointer<UnsafeMutablePointer<Object>?>?) -> Void
) {
    var freed: UnsafeMutablePointer<Object>? = object
    free(&freed)
}

/// Time limit of one request. After it, the worker replies with the result so far, so that the server knows that it is alive.
struct WorkBudget {
    private let end: MonotonicTime

    init(seconds: Double) { end = .now.advanced(bySeconds: seconds) }

    var isSpent: Bool { end < .now }
}
