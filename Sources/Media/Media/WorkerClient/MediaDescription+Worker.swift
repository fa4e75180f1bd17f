// SPDX-License-Identifier: Apache-2.0

internal import MediaWorkerProtocol
internal import Playback

extension MediaDescription {
    /// From a worker's description, without the picture.
    init(_ media: WorkerMedia) {
        self.init(
            format: media.format, duration: media.duration, durationIsExact: media.durationIsExact,
            isSeekable: media.isSeekable,
            encoding: Encoding(codec: media.codec, bitrate: media.bitrate, bitsPerSample: media.bitsPerSample),
            tags: Tags(media.tags))
        clock = media.start.flatMap {
            $0.isFinite ? Clock(start: $0, grid: media.grid.flatMap { $0 > 0 ? $0 : nil }) : nil
        }
        isCut = media.isCut
        chapters = media.chapters
    }
}

extension MediaDescription.Tags {
    init(_ tags: [WorkerMedia.Tag]) {
        self.init { name in
            guard let tag = tags.first(where: { $0.name == name }) else { return nil }
            let text = tag.value.streamSafe.trimmedOfWhitespace
            return text.isEmpty ? nil : String(text)
        }
        hasLyrics = Self.lyrics(in: tags) != nil
    }

    static func lyrics(in tags: [WorkerMedia.Tag]) -> String? {
        tags.first { ["lyrics", "unsyncedlyrics"].contains($0.name) }?.value.streamSafe
    }
}
