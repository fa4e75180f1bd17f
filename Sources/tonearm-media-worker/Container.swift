// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

/// An open container, from which packets are read.
final class Container {
    let context: UnsafeMutablePointer<AVFormatContext>
    let input: SourceInput
    /// Limit for reading headers, in bytes.
    private static let longestHeaders = 64 << 20
    /// The same for WAV, where FFmpeg searches everything after the audio for tags, even terabytes of zeros.
    private static let longestOfWave = 20 << 20

    /// Offset after the headers, where uncompressed samples start.
    let headersEnd: Int64

    init(_ bytes: any SourceBytes, _ source: WorkerSource) throws(WorkerFailure) {
        input = try SourceInput(bytes, source)
        guard let made = avformat_alloc_context() else { throw .outOfMemory }
        made.pointee.pb = input.context
        made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        made.pointee.probesize = 1 << 20
        made.pointee.max_analyze_duration = 2_000_000
        made.pointee.max_streams = 64
        made.pointee.format_whitelist = av_strdup(AllowedFormats.demuxers.joined(separator: ","))
        let decoders = Set(AllowedFormats.audio.values).sorted()
        made.pointee.codec_whitelist = av_strdup(decoders.joined(separator: ","))
        made.pointee.protocol_whitelist = av_strdup("none")
        cffmpeg_forbid_other_files(made)
        // `avformat_open_input` frees the context on failure.
        var opening: UnsafeMutablePointer<AVFormatContext>? = made
        let start = source.isLocal ? input.bytes(at: 0, 4) ?? [] : []
        let isWave = start == Array("RIFF".utf8) || start == Array("RF64".utf8)
        input.allowance = isWave ? Self.longestOfWave : Self.longestHeaders
        let headers = input
        defer { headers.allowance = nil }
        let code = avformat_open_input(&opening, nil, nil, nil)
        guard code >= 0, let opening else {
            try input.check()
            throw WorkerFailure(.unsupported, "its beginning is unreadable (\(Self.text(code)))")
        }
        context = opening
        headersEnd = max(0, avio_seek(input.context, 0, SEEK_CUR))
    }

    deinit { release(context, avformat_close_input) }

    var streams: [UnsafeMutablePointer<AVStream>] {
        (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
    }

    /// Short name of the demuxer, such as `flac`.
    var format: String { context.pointee.iformat.map { String(cString: $0.pointee.name) } ?? "" }

    /// Much other data may lie between two audio packets.
    var mayHoldPictures: Bool { ["mov", "matroska", "mpegts", "asf"].contains { format.hasPrefix($0) } }

    /// Only packets of `stream` are read from here on.
    func keepOnly(_ stream: UnsafeMutablePointer<AVStream>) {
        for other in streams where other != stream { other.pointee.discard = AVDISCARD_ALL }
    }

    /// The audio track to play: of those that can be decoded, the default one or the first.
    func audioTrack() throws(WorkerFailure) -> UnsafeMutablePointer<AVStream> {
        let tracks = streams.filter { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
        let playable = tracks.filter {
            AllowedFormats.decoder($0.pointee.codecpar.pointee.codec_id, of: AllowedFormats.audio) != nil
        }
        if let track = playable.first(where: { $0.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 }) ?? playable.first
        {
            return track
        }
        guard let other = tracks.first else { throw WorkerFailure(.unsupported, "there is no audio track in it") }
        let codec = AllowedFormats.name(other.pointee.codecpar.pointee.codec_id)
        throw WorkerFailure(.unsupported, "its codec \(codec) is not supported")
    }

    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        cffmpeg_describe(code, &buffer)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    }
}
