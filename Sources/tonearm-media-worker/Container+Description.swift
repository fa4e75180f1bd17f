// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

extension Container {
    static let largestPicture = 16 << 20

    func describe(
        _ decoder: TrackDecoder, format: AudioFormat, origin: Int64, source: WorkerSource
    ) -> WorkerMedia {
        let stream = decoder.stream
        let parameters = stream.pointee.codecpar!
        let codec = AllowedFormats.name(parameters.pointee.codec_id)
        let length = length(of: stream, rate: Int64(format.sampleRate), origin: origin)
        var media = WorkerMedia(
            format: format, duration: length?.frames, durationIsExact: length?.isExact ?? false,
            isSeekable: source.isSeekable && source.size != nil, codec: codec)
        media.isCut = isCut(stream)
        media.bitrate = bitrate(parameters, length: length.map { format.seconds($0.frames) }, source)
        media.bitsPerSample = bits(parameters, codec) ?? decoder.bitsPerSample
        media.tags = tags(stream)
        media.chapters = chapters()
        media.hasPicture = pictureStream != nil
        return media
    }

    /// The picture in the tags; nil without one.
    func picture() -> [UInt8]? {
        guard let packet = pictureStream?.pointee.attached_pic else { return nil }
        return Array(UnsafeBufferPointer(start: packet.data, count: Int(packet.size)))
    }

    /// The end by iTunSMPB, or by an edit list that ends within the last packets. FFmpeg only trims the beginning.
    func trimmedEnd(_ decoder: TrackDecoder, _ media: WorkerMedia, origin: Int64) -> Int64? {
        guard format.hasPrefix("mov") else { return nil }
        if let entry = av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0), let value = entry.pointee.value {
            // Hexadecimal: zero, frames before, frames after, audible frames.
            let fields = String(cString: value).split(separator: " ").map { Int64($0, radix: 16) }
            if fields.count >= 4, let front = fields[1], let frames = fields[3], frames > 0, front == origin {
                return frames
            }
        }
        guard media.durationIsExact, let end = media.duration else { return nil }
        let count = avformat_index_get_entries_count(decoder.stream)
        guard count > 0, let last = avformat_index_get_entry(decoder.stream, count - 1) else { return nil }
        let second = AVRational(num: 1, den: Int32(clamping: media.format.sampleRate))
        let start = av_rescale_q(last.pointee.timestamp, decoder.stream.pointee.time_base, second) - origin
        return (start...start + Int64(max(1_024, decoder.frameSize))).contains(end) ? end : nil
    }

    /// Counts the packets of the track to the end; 0 if that takes too long.
    func countPackets(of stream: UnsafeMutablePointer<AVStream>) throws(WorkerFailure) -> Int64 {
        guard let packet = av_packet_alloc() else { throw .outOfMemory }
        defer { release(packet, av_packet_free) }
        let budget = WorkBudget(seconds: 5)
        // The first packet was read for the first frame.
        var count: Int64 = 1
        while av_read_frame(context, packet) >= 0 {
            if packet.pointee.stream_index == stream.pointee.index { count += 1 }
            av_packet_unref(packet)
            if budget.isSpent { return 0 }
        }
        try input.check()
        return count
    }

    private var pictureStream: UnsafeMutablePointer<AVStream>? {
        streams.first {
            $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 && $0.pointee.attached_pic.data != nil
                && (1...Self.largestPicture).contains(Int($0.pointee.attached_pic.size))
        }
    }

    private func length(
        of stream: UnsafeMutablePointer<AVStream>, rate: Int64, origin: Int64
    ) -> (frames: Int64, isExact: Bool)? {
        let second = AVRational(num: 1, den: Int32(clamping: rate))
        let base = stream.pointee.time_base
        if stream.pointee.duration != cffmpeg_no_timestamp, stream.pointee.duration > 0 {
            let start = stream.pointee.start_time == cffmpeg_no_timestamp ? 0 : stream.pointee.start_time
            let (end, overflow) = start.addingReportingOverflow(stream.pointee.duration)
            var frames = av_rescale_q(end, base, second) - origin
            // In Ogg, the duration includes Opus' pre-skip (RFC 7845, 4.3).
            if format == "ogg", stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_OPUS {
                frames -= Int64(stream.pointee.codecpar.pointee.initial_padding)
            }
            guard !overflow, frames > 0, frames < 1 << 48 else { return nil }
            let isFine =
                Int64(base.den) >= rate * Int64(base.num) && format != "caf"
                && !AllowedFormats.rawDemuxers.contains(format)
            return (frames, isFine)
        }
        let block = Int64(stream.pointee.codecpar.pointee.block_align)
        if AllowedFormats.name(stream.pointee.codecpar.pointee.codec_id).hasPrefix("pcm_"), block > 0,
            let size = input.description.size
        {
            let frames = (size - headersEnd) / block
            return frames > 0 ? (frames, false) : nil
        }
        guard context.pointee.duration != cffmpeg_no_timestamp, context.pointee.duration > 0 else { return nil }
        let frames = av_rescale_q(context.pointee.duration, AVRational(num: 1, den: 1_000_000), second)
        return frames > 0 && frames < 1 << 48 ? (frames, false) : nil
    }

    /// The header of an uncompressed file gives more bytes than the file has. FFmpeg uses the file's length then.
    private func isCut(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let parameters = stream.pointee.codecpar!
        let block = Int64(parameters.pointee.block_align)
        guard AllowedFormats.name(parameters.pointee.codec_id).hasPrefix("pcm_"), input.description.isSeekable,
            (1...65_536).contains(block), let size = input.description.size,
            let declared = declaredBytes(stream, block: block)
        else { return false }
        return (declared - (size - headersEnd)) / block > Int64(parameters.pointee.sample_rate) / 10
    }

    /// The number of audio bytes by the header; nil without one. Programs that write while recording leave 0 or the largest possible
    /// number.
    private func declaredBytes(_ stream: UnsafeMutablePointer<AVStream>, block: Int64) -> Int64? {
        func number(at offset: Int64, _ count: Int) -> Int64? {
            guard offset >= 0 else { return nil }
            return input.bytes(at: offset, count).flatMap { bytes in
                Int64(exactly: bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
            }
        }
        let declared: Int64?
        switch format {
        case "wav":
            let short = number(at: headersEnd - 4, 4)
            // RF64: the size is in the first chunk (EBU Tech 3306).
            let isLong = short == 0xFFFF_FFFF && input.bytes(at: 12, 4) == Array("ds64".utf8)
            declared = isLong ? number(at: 28, 8) : short.flatMap { $0 < 0x7FFF_F000 ? $0 : nil }
        case "w64": declared = number(at: headersEnd - 8, 8).map { $0 - 24 }
        case "caf": declared = min(max(0, stream.pointee.nb_frames), 1 << 40) * block
        default: declared = nil
        }
        return declared.flatMap { (1...1 << 48).contains($0) ? $0 : nil }
    }

    private func bitrate(_ parameters: UnsafeMutablePointer<AVCodecParameters>, length: Double?, _ source: WorkerSource)
        -> Int?
    {
        if parameters.pointee.bit_rate > 0 { return Int(parameters.pointee.bit_rate) }
        if context.pointee.bit_rate > 0 { return Int(context.pointee.bit_rate) }
        guard let size = source.size, let length, length > 0 else { return nil }
        let isAudioOnly = !streams.contains {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                && $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        }
        return isAudioOnly ? Int(clamping: Double(size) * 8 / length) : nil
    }

    private func bits(_ parameters: UnsafeMutablePointer<AVCodecParameters>, _ codec: String) -> Int? {
        guard AllowedFormats.isLossless(codec) else { return nil }
        if codec.hasPrefix("dsd_") || codec == "dst" { return 1 }
        let bits = parameters.pointee.bits_per_raw_sample
        if bits > 0 { return Int(bits) }
        if parameters.pointee.bits_per_coded_sample > 0 { return Int(parameters.pointee.bits_per_coded_sample) }
        let fixed = av_get_bits_per_sample(parameters.pointee.codec_id)
        return fixed > 0 ? Int(fixed) : nil
    }
}
