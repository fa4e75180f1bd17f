// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CMpg123
internal import Kernel
internal import Media
internal import Playback

/// Sets up the library for a file, and checks that the file is MPEG audio.
extension Mpg123Decoder {
    static func configure(
        _ handle: borrowing Mpg123Handle, _ layout: StreamLayout, _ source: any ByteSource, isOutline: Bool
    ) throws(Mpg123Error) {
        var flags = [MPG123_QUIET, MPG123_GAPLESS, MPG123_FORCE_FLOAT, MPG123_PLAIN_ID3TEXT]
        if !isOutline { flags.append(MPG123_PICTURE) }
        if layout.largestTag > largestTag { flags.append(MPG123_SKIP_ID3V2) }
        // By default the library needs a second header to confirm the first one.
        if layout.isSingleFrame { flags.append(MPG123_NO_READAHEAD) }
        if !source.isLocal {
            // Seek by the table of contents, as reading up to the target would load everything before it.
            flags += [MPG123_NO_PEEK_END, MPG123_FUZZY]
            if source.isSeekable, source.size != nil { flags.append(MPG123_FORCE_SEEKABLE) }
        }
        try handle.set(MPG123_REMOVE_FLAGS, Int(MPG123_FUZZY.rawValue | MPG123_AUTO_RESAMPLE.rawValue))
        try handle.set(MPG123_ADD_FLAGS, flags.reduce(0) { $0 | Int($1.rawValue) })
        try handle.set(MPG123_RESYNC_LIMIT, 64 << 10)
        // A fixed size (16 KB) bounds the memory; a longer file gets a coarser index.
        try handle.set(MPG123_INDEX_SIZE, indexSize)
        // A layer III frame's data may begin up to 511 bytes earlier, which is more than 20 frames at low bit rates. Decoding
        // these frames first makes the output after a seek equal to decoding from the start.
        try handle.set(MPG123_PREFRAMES, 28)
    }

    static func firstFormat(
        _ handle: borrowing Mpg123Handle, reader: SourceReader, layout: StreamLayout
    ) throws(MediaError) -> AudioFormat {
        let name = reader.source.name
        do throws(Mpg123Error) {
            if let format = try handle.format() { return format }
        } catch {
            if let failure = reader.failure { throw failure }
            if error.code == MPG123_OUT_OF_MEM.rawValue { throw error.mediaError(name) }
        }
        if let failure = reader.failure { throw failure }
        if layout.info != nil || layout.audioEnd.map({ $0 <= layout.audioStart }) == true {
            throw MediaError(.empty, "\(name) contains tags or headers, but no audio.")
        }
        throw MediaError(.unsupported, "\(name) cannot be played: there is no MPEG audio in it.")
    }
}

extension Mpg123Decoder {
    /// The encoding, by the first frame and the header frame.
    static func encoding(
        _ frame: mpg123_frameinfo2, first: FrameHeader?, info: InfoFrame?, handle: borrowing Mpg123Handle
    ) -> MediaDescription.Encoding {
        var encoding = MediaDescription.Encoding(codec: "mp\(frame.layer)", layer: Int(frame.layer))
        encoding.mpegVersion =
            switch UInt32(bitPattern: frame.version) {
            case MPG123_1_0.rawValue: "1"
            case MPG123_2_0.rawValue: "2"
            default: "2.5"
            }
        encoding.bitrateMode =
            switch UInt32(bitPattern: frame.vbr) {
            case MPG123_VBR.rawValue: .variable
            case MPG123_ABR.rawValue: .average
            default: .constant
            }
        if info?.isVBRI == true { encoding.bitrateMode = .variable }
        // The library uses the LAME tag's method field, which FFmpeg leaves unset.
        if info?.isConstant == true { encoding.bitrateMode = .constant }
        encoding.bitrate = Int(frame.bitrate) * 1_000
        let samplesPerFrame = handle.samplesPerFrame
        if let first, first.bitrate == nil {
            encoding.bitrateMode = .free
            encoding.bitrate = Int(frame.framesize) * 8 * frame.rate / max(1, samplesPerFrame)
        } else if encoding.bitrateMode != .constant, let frames = info?.frames, let bytes = info?.bytes {
            let seconds = Double(frames) * Double(samplesPerFrame) / Double(frame.rate)
            if seconds > 0 { encoding.bitrate = Int(clamping: (Double(bytes) * 8 / seconds).rounded()) }
        }
        return encoding
    }
}
