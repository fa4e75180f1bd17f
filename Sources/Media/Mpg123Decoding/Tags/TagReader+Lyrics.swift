// SPDX-License-Identifier: Apache-2.0

internal import CMpg123
internal import Media
internal import Playback

extension TagReader {
    /// The text of the first USLT frame that has any (ID3v2.4 frames, 4.8).
    static func lyrics(in source: any ByteSource) throws(MediaError) -> String? {
        let layout = try StreamLayout(source)
        guard layout.audioStart > 0, layout.largestTag <= Mpg123Decoder.largestTag else { return nil }
        let reader = SourceReader(source)
        do throws(Mpg123Error) {
            let handle = try Mpg123Handle()
            try handle.set(MPG123_ADD_FLAGS, Int(MPG123_QUIET.rawValue | MPG123_PLAIN_ID3TEXT.rawValue))
            try handle.open(reader)
            _ = try handle.format()
            return try handle.withTags { _, v2 in v2.flatMap(lyrics) }
        } catch {
            throw reader.failure ?? error.mediaError(source.name)
        }
    }

    /// The library keeps them among the text frames.
    static func lyrics(_ v2: mpg123_id3v2) -> String? {
        for frame in UnsafeBufferPointer(start: v2.text, count: min(v2.texts, maximumFrames))
        where id(frame) == "USLT" {
            if let text = TagText(bytes(frame.text))?.string(), !text.isEmpty { return text }
        }
        return nil
    }

    static func id(_ frame: mpg123_text) -> String {
        withUnsafeBytes(of: frame.id) { String(decoding: $0, as: UTF8.self) }
    }
}
