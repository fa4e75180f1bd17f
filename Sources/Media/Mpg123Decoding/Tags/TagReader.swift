// SPDX-License-Identifier: Apache-2.0

internal import CMpg123
internal import Media
internal import Playback

/// Reads the tags that libmpg123 found up to the first frame. ID3v2 (2.2, 2.3, 2.4) takes precedence over ID3v1.
enum TagReader {
    /// More frames than any real tag has; the rest of a hostile tag is ignored.
    static let maximumFrames = 1_024

    static func read(_ handle: borrowing Mpg123Handle) throws(Mpg123Error) -> MediaDescription.Tags {
        // These also use RVA2 frames and the LAME header, and must run before the tags are freed.
        let track = try handle.volumeAdjustment(album: false)
        let album = try handle.volumeAdjustment(album: true)
        var tags = try handle.withTags { v1, v2 in
            var fields = TagFields()
            if let v2 { collect(v2, into: &fields) }
            if let v1 { collect(v1, into: &fields) }
            var tags = fields.tags()
            tags.picture = v2.flatMap(picture)
            tags.hasLyrics = v2.flatMap(lyrics) != nil
            return tags
        }
        if tags.replayGain.trackGain == nil, track != 0 { tags.replayGain.trackGain = track }
        if tags.replayGain.albumGain == nil, album != 0, album != track { tags.replayGain.albumGain = album }
        return tags
    }

    private static func collect(_ v2: mpg123_id3v2, into fields: inout TagFields) {
        for frame in UnsafeBufferPointer(start: v2.text, count: min(v2.texts, maximumFrames)) {
            guard let field = TagFields.frames[id(frame)], let text = TagText(bytes(frame.text)) else { continue }
            fields.add(text, to: field)
        }
        for frame in UnsafeBufferPointer(start: v2.comment_list, count: min(v2.comments, maximumFrames)) {
            // Programs store their own data in comments with a description (iTunNORM and the like).
            guard let text = TagText(bytes(frame.text)), TagText(bytes(frame.description))?.isEmpty ?? true else {
                continue
            }
            fields.add(text, to: "comment")
        }
        for frame in UnsafeBufferPointer(start: v2.extra, count: min(v2.extras, maximumFrames)) {
            guard let name = TagText(bytes(frame.description))?.string().lowercased(),
                TagFields.extras.contains(name), let text = TagText(bytes(frame.text))
            else { continue }
            fields.add(text, to: name)
        }
    }

    private static func collect(_ v1: mpg123_id3v1, into fields: inout TagFields) {
        func add(_ raw: some Any, to field: String, limit: Int = 30) {
            let bytes = withUnsafeBytes(of: raw) { Array($0.prefix(limit).prefix { $0 != 0 }) }
            fields.add(TagText(latin1: bytes), to: field)
        }
        add(v1.title, to: "title")
        add(v1.artist, to: "artist")
        add(v1.album, to: "album")
        add(v1.year, to: "date", limit: 4)
        let comment = withUnsafeBytes(of: v1.comment) { Array($0) }
        // ID3v1.1: a zero byte and then the track.
        if comment[28] == 0, comment[29] != 0 {
            fields.add(TagText(latin1: Array(String(comment[29]).utf8)), to: "track")
        }
        add(v1.comment, to: "comment", limit: comment[28] == 0 ? 28 : 30)
        if let genre = GenreList.name(Int(v1.genre)) { fields.add(TagText(latin1: Array(genre.utf8)), to: "genre") }
    }

    /// The front cover, else the first picture.
    private static func picture(_ v2: mpg123_id3v2) -> MediaDescription.Picture? {
        let pictures = UnsafeBufferPointer(start: v2.picture, count: min(v2.pictures, maximumFrames))
        let front = CChar(3)  // mpg123_id3_pic_front_cover
        for candidate in pictures.filter({ $0.type == front }) + pictures.filter({ $0.type != front }) {
            guard let data = candidate.data, (1...MediaDescription.Picture.maximumSize).contains(candidate.size) else {
                continue
            }
            let bytes = UnsafeBufferPointer(start: data, count: candidate.size)
            guard let format = PictureFormat(bytes) else { continue }
            return MediaDescription.Picture(mimeType: format.mediaType, bytes: Array(bytes))
        }
        return nil
    }

    static func bytes(_ string: mpg123_string) -> [UInt8] {
        guard let start = string.p else { return [] }
        // Enough for any displayed field.
        let count = min(string.fill, 64 * 1_024)
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            Array(UnsafeBufferPointer(start: $0, count: count))
        }
    }
}

extension MediaDescription.Picture {
    /// Bytes; larger pictures are ignored.
    static let maximumSize = 16 << 20
}

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

    /// The library stores lyrics among the text frames.
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
