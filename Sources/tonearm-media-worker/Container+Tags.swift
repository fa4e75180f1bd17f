// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import Glibc
internal import MediaWorkerProtocol

extension Container {
    /// FFmpeg's names of the needed tags, in lower case.
    private static let wanted: Set = [
        "title", "artist", "album", "album_artist", "albumartist", "genre", "date", "year", "track", "tracknumber",
        "tracktotal", "totaltracks", "disc", "discnumber", "comment", "description", "unsyncedlyrics", "lyrics",
        "replaygain_track_gain", "replaygain_album_gain", "replaygain_track_peak",
        "replaygain_album_peak", "r128_track_gain", "r128_album_gain",
    ]

    /// Tags of the file, then of the track (where Ogg has them). The first of each name counts.
    func tags(_ stream: UnsafeMutablePointer<AVStream>) -> [WorkerMedia.Tag] {
        var tags: [WorkerMedia.Tag] = []
        var seen: Set<String> = []
        for dictionary in [context.pointee.metadata, stream.pointee.metadata] {
            var entry: UnsafeMutablePointer<AVDictionaryEntry>?
            while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
                entry = next
                var name = String(cString: next.pointee.key).lowercased()
                // For ID3, FFmpeg appends the language.
                if name.hasPrefix("lyrics-") { name = "lyrics" }
                guard Self.wanted.contains(name), tags.count < WorkerMedia.mostTags, seen.insert(name).inserted else {
                    continue
                }
                let isLyrics = name == "lyrics" || name == "unsyncedlyrics"
                let value = Self.text(
                    next.pointee.value, limit: isLyrics ? WorkerMedia.longestLyrics : WorkerMedia.longestText)
                if !value.isEmpty { tags.append(WorkerMedia.Tag(name, value)) }
            }
        }
        return tags
    }

    func chapters() -> [Chapter] {
        (0..<min(Int(context.pointee.nb_chapters), WorkerMedia.mostChapters)).compactMap { index in
            guard let chapter = context.pointee.chapters[index] else { return nil }
            let base = av_q2d(chapter.pointee.time_base)
            let start = Double(chapter.pointee.start) * base
            let end = Double(chapter.pointee.end) * base
            guard start.isFinite, end.isFinite, start >= 0, end >= start else { return nil }
            let title = av_dict_get(chapter.pointee.metadata, "title", nil, 0)
            return Chapter(
                start: start, end: end, title: title.map { Self.text($0.pointee.value, limit: 512) } ?? "")
        }
    }

    /// Up to `limit` bytes.
    private static func text(_ value: UnsafeMutablePointer<CChar>?, limit: Int) -> String {
        guard let value else { return "" }
        let length = strnlen(value, limit)
        return String(
            decoding: UnsafeRawBufferPointer(start: value, count: length).prefix(while: { $0 != 0 }), as: UTF8.self)
    }
}
