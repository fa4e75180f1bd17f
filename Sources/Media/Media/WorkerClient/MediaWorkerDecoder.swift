// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import MediaWorkerProtocol
internal import Playback

/// Decodes an item in a worker process of its own. If the worker crashes, only this item fails.
final class MediaWorkerDecoder: AudioDecoder {
    private(set) var media: MediaDescription

    private let conversation: WorkerConversation
    /// Samples in shared memory that were not returned yet.
    private var pending = 0..<0
    /// Applies after the pending samples.
    private var nextFormat: AudioFormat?
    private var isAtEnd = false
    /// Frames per request: few after a seek, for low latency; then as many as fit.
    private var chunk = firstChunk
    private var damage = 0

    private static let firstChunk = 4_096
    private static let largestChunk = SharedMemory.sampleCapacity / 8

    init(_ conversation: WorkerConversation) throws(MediaError) {
        self.conversation = conversation
        let opened = try conversation.open(isOutline: false)
        media = MediaDescription(opened)
        if opened.hasPicture { media.tags.picture = try conversation.picture() }
    }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let channels = media.format.channelCount
        let capacity = samples.count / channels * channels
        var filled = 0
        var changed = false
        while filled < capacity {
            if !pending.isEmpty {
                let count = min(pending.count, capacity - filled)
                copy(count, to: samples, at: filled)
                filled += count
                continue
            }
            if let format = nextFormat {
                nextFormat = nil
                media.format = format
                return DecodedFrames(frames: filled / channels, mediaChanged: true)
            }
            if isAtEnd { break }
            let progress = try fetch()
            if note(progress) { changed = true }
            // In a long damaged part, return to the caller.
            if progress.frames == 0, nextFormat == nil { break }
        }
        return DecodedFrames(
            frames: filled / channels, endOfStream: isAtEnd && pending.isEmpty && nextFormat == nil,
            mediaChanged: changed)
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        guard media.isSeekable else {
            throw MediaError(.unsupported, "\(conversation.source.name) is not seekable.")
        }
        (pending, isAtEnd, chunk) = (0..<0, false, Self.firstChunk)
        if let format = nextFormat { (media.format, nextFormat) = (format, nil) }
        guard case .sought(let place) = try conversation.ask(.seek(frame: max(0, frame))) else {
            throw conversation.unexpected()
        }
        return place
    }

    private func fetch() throws(MediaError) -> WorkerProgress {
        let reply = try conversation.ask(.decode(frames: chunk))
        guard case .decoded(let progress) = reply, progress.frames <= chunk else {
            throw conversation.unexpected()
        }
        chunk = Self.largestChunk
        return progress
    }

    /// Applies the worker's report. Returns true if `media` changed.
    private func note(_ progress: WorkerProgress) -> Bool {
        pending = 0..<progress.frames * media.format.channelCount
        nextFormat = progress.format
        isAtEnd = progress.endOfStream
        var changed = false
        if progress.damage != damage {
            damage = progress.damage
            media.decodeErrors = progress.damage
            changed = true
        }
        if let duration = progress.duration, duration != media.duration || !media.durationIsExact {
            // Tolerate 0.1 s, as containers are often imprecise.
            let missing = (media.duration ?? duration) - duration
            if media.durationIsExact, media.format.seconds(missing) > 0.1 { media.isCut = true }
            (media.duration, media.durationIsExact) = (duration, true)
            changed = true
        }
        return changed
    }

    /// Replaces NaN and infinity by silence.
    private func copy(_ count: Int, to samples: UnsafeMutableBufferPointer<Float>, at offset: Int) {
        let decoded = conversation.process.samples(pending.upperBound)
        guard let from = decoded.baseAddress, let to = samples.baseAddress else { return }
        let source = from + pending.lowerBound
        let target = to + offset
        for index in 0..<count {
            let sample = source[index]
            target[index] = abs(sample) <= .greatestFiniteMagnitude ? sample : 0
        }
        pending = pending.lowerBound + count..<pending.upperBound
    }
}

extension WorkerConversation {
    func open(isOutline: Bool) throws(MediaError) -> WorkerMedia {
        process.files += 1
        let reply = try ask(.open(description(isOutline: isOutline)))
        guard case .opened(let media) = reply else { throw unexpected() }
        return media
    }

    func picture() throws(MediaError) -> MediaDescription.Picture {
        guard case .picture(let bytes) = try ask(.picture) else { throw unexpected() }
        // As it is served: neither the file nor the worker is trusted.
        let type = PictureFormat(bytes)?.mediaType ?? "application/octet-stream"
        return MediaDescription.Picture(mimeType: type, bytes: bytes)
    }

    func description(isOutline: Bool = false) -> WorkerSource {
        WorkerSource(
            size: source.size?.bytes, isSeekable: source.isSeekable, isLocal: source.isLocal, isOutline: isOutline)
    }
}
