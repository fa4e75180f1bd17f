// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CMpg123
import Media
import Playback

/// How the library is set up for a file, and what it must find before the file counts as MPEG audio.
extension Mpg123Decoder {
    static func configure(
        _ handle: borrowing Mpg123Handle, _ layout: StreamLayout, _ source: any ByteSource, isOutline: Bool
    ) throws(Mpg123Error) {
        var flags = [MPG123_QUIET, MPG123_GAPLESS, MPG123_FORCE_FLOAT, MPG123_PLAIN_ID3TEXT]
        if !isOutline { flags.append(MPG123_PICTURE) }
        if layout.largestTag > largestTag { flags.append(MPG123_SKIP_ID3V2) }
        // The library wants a second header to confirm the first one.
        if layout.isSingleFrame { flags.append(MPG123_NO_READAHEAD) }
        if !source.isLocal {
            // Seeks by the table of contents: reading up to the place would mean to load all of it.
            flags += [MPG123_NO_PEEK_END, MPG123_FUZZY]
            if source.isSeekable, source.size != nil { flags.append(MPG123_FORCE_SEEKABLE) }
        }
        try handle.set(MPG123_REMOVE_FLAGS, Int(MPG123_FUZZY.rawValue | MPG123_AUTO_RESAMPLE.rawValue))
        try handle.set(MPG123_ADD_FLAGS, flags.reduce(0) { $0 | Int($1.rawValue) })
        try handle.set(MPG123_RESYNC_LIMIT, 64 << 10)
        // Fixed, so that memory stays bounded: 16 KB; a longer file gets a coarser index.
        try handle.set(MPG123_INDEX_SIZE, indexSize)
        // A layer III frame may begin up to 511 bytes earlier, at low bit rates more than 20 frames; with these decoded
        // ahead, what follows a seek equals what decoding from the start gives.
        try handle.set(MPG123_PREFRAMES, 28)
    }

    static func firstFormat(
        _ handle: borrowing Mpg123Handle, reader: SourceReader, layout: StreamLayout
    ) throws(MediaError) -> AudioFormat {
        let name = reader.source.name
        do throws(Mpg123Error) {
            if let format = try handle.format() { return Self.format(format) }
        } catch {
            if let failure = reader.failure { throw failure }
            if error.code == MPG123_OUT_OF_MEM.rawValue { throw error.mediaError(name) }
        }
        if let failure = reader.failure { throw failure }
        if layout.info != nil || layout.audioEnd.map({ $0 <= layout.audioStart }) == true {
            throw MediaError(.empty, "\(name) holds tags or headers, but no audio.")
        }
        throw MediaError(.unsupported, "\(name) cannot be played: there is no MPEG audio in it.")
    }

    static func format(_ format: (rate: Int, channels: Int)) -> AudioFormat {
        AudioFormat(sampleRate: format.rate, layout: format.channels == 1 ? .mono : .stereo)
    }
}
