// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

/// An open media: its description, its samples, and seeks.
///
/// Positions count audible frames: 0 is the first one after the encoder delay. FFmpeg trims the audio by the container's data (edit
/// lists, iTunSMPB, pre-skip, granule positions), so that a frame's timestamp gives its position.
final class MediaReader {
    /// `format`: as last reported to the server, which reads the samples by it.
    private(set) var media: WorkerMedia

    private let bytes: any SourceBytes
    private let source: WorkerSource
    private var container: Container
    private var decoder: TrackDecoder
    private let conversion = SampleConversion()
    private let places: Places
    /// The part of the converted frame that was not returned yet.
    private var staged = 0..<0
    /// Position of the next frame to be decoded or returned.
    private var position: Int64
    /// Frames before this one are dropped.
    private var target: Int64 = 0
    private var isAtEnd = false
    /// The farthest position decoded since the container was opened.
    private var furthest: Int64 = 0
    /// Damage counted before the container was reopened.
    private var damageBefore = 0
    private var missingEnd = 0
    /// End of the audible part by the container; nil if its packets end there anyway.
    private let trimmedEnd: Int64?
    /// `position` was counted from an approximate one.
    private var isInexact = false

    /// Opens the media and decodes its first frame.
    init(_ bytes: any SourceBytes, _ source: WorkerSource) throws(WorkerFailure) {
        self.bytes = bytes
        self.source = source
        (container, decoder) = try Self.open(bytes, source)
        switch try decoder.next(within: WorkBudget(seconds: 8)) {
        case .frame: break
        case .end: throw WorkerFailure(.empty, "it contains headers, but no decodable sound")
        case .nothingYet: throw WorkerFailure(.unsupported, "no sound was found in its beginning")
        }
        try conversion.convert(decoder.frame)
        guard let format = conversion.format else { throw .outOfMemory }
        places = Places(decoder, firstFrame: decoder.frame, format: format, container: container)
        staged = 0..<Int(decoder.frame.pointee.nb_samples)
        position = 0
        media = container.describe(decoder, format: format, origin: places.origin, source: source)
        // An HLS segment: its header, if any, does not give the length of the run.
        if source.size == nil, container.format.hasPrefix("mov") { media.durationIsExact = false }
        (media.start, media.grid) = (places.start, decoder.frameSize > 0 ? decoder.frameSize : nil)
        trimmedEnd = container.trimmedEnd(decoder, media, origin: places.origin)
        if let trimmedEnd {
            (media.duration, media.durationIsExact) = (trimmedEnd, true)
            staged = 0..<min(staged.upperBound, Int(trimmedEnd))
        }
        if let size = source.size, AllowedFormats.rawDemuxers.contains(container.format), source.isLocal,
            !source.isOutline, size <= 64 << 20
        {
            try countRawFrames()
        }
    }

    /// The picture in the tags; nil without one.
    func picture() -> [UInt8]? { container.picture() }

    /// Decodes up to `frames` frames into `output`; fewer, or none, if that takes long.
    func decode(_ frames: Int, into output: UnsafeMutablePointer<Float>) throws(WorkerFailure) -> WorkerProgress {
        let channels = conversion.format?.channelCount ?? 1
        let budget = WorkBudget(seconds: 1)
        var filled = 0
        while filled < frames {
            if let format = conversion.format, format != media.format {
                media.format = format
                return progress(filled, newFormat: format)
            }
            if !staged.isEmpty {
                let count = min(staged.count, frames - filled)
                conversion.samples.withUnsafeBufferPointer { samples in
                    guard let from = samples.baseAddress else { return }
                    output.advanced(by: filled * channels).update(
                        from: from + staged.lowerBound * channels, count: count * channels)
                }
                staged = staged.lowerBound + count..<staged.upperBound
                position += Int64(count)
                filled += count
                continue
            }
            if isAtEnd { break }
            if let end = trimmedEnd, position >= end {
                finish()
                break
            }
            switch try decoder.next(within: budget) {
            case .nothingYet: return progress(filled)
            case .end: finish()
            case .frame: try stage()
            }
        }
        return progress(filled)
    }

    /// Returns the next frame that `decode` will return. `decode` also skips what lies before it.
    func seek(to frame: Int64) throws(WorkerFailure) -> Int64 {
        guard media.isSeekable else { throw WorkerFailure(.unsupported, "it is not seekable") }
        let goal = max(0, frame)
        furthest = max(furthest, position)
        container.input.recover()
        if media.durationIsExact, let duration = media.duration, goal >= duration {
            (staged, isAtEnd) = (0..<0, true)
            (position, target) = (duration, duration)
            return duration
        }
        target = goal
        if !isAtEnd, goal >= position, goal - position < Int64(media.format.sampleRate) {
            dropStaged()
            return goal
        }
        if places.mustCountFromStart(goal, source) {
            if isAtEnd || goal < position { try startOver() }
        } else {
            (staged, isAtEnd) = (0..<0, false)
            try jump(to: goal)
        }
        dropStaged()
        return goal
    }

    // MARK: Places

    private func jump(to goal: Int64) throws(WorkerFailure) {
        if places.beginsAnew(goal) { return try startOver() }
        if places.changeBehind(furthest, duration: media.duration) { try reopen() }
        // If the demuxer lands after the goal, try earlier.
        for earlier in [0, 2, 12] where places.isInside(goal, secondsEarlier: earlier) {
            let time = places.time(of: goal, secondsEarlier: earlier)
            guard avformat_seek_file(container.context, decoder.stream.pointee.index, .min, time, time, 0) >= 0 else {
                continue
            }
            decoder.flush()
            guard try decoder.next(within: WorkBudget(seconds: 4)) == .frame else { continue }
            guard let place = places.position(of: decoder.frame) else { break }
            if place > goal { continue }
            position = place
            isInexact = places.isCoarse
            try stage()
            return
        }
        try container.input.check()
        try startOver()
    }

    /// Reopens the media at its beginning.
    private func startOver() throws(WorkerFailure) {
        try reopen()
        (position, staged, isAtEnd, isInexact) = (0, 0..<0, false, false)
    }

    private func reopen() throws(WorkerFailure) {
        damageBefore += decoder.damage
        (container, decoder) = try Self.open(bytes, source)
        furthest = 0
    }

    /// Converts the decoder's frame and drops samples before the target.
    private func stage() throws(WorkerFailure) {
        let count = Int(decoder.frame.pointee.nb_samples)
        if position + Int64(count) <= target {
            position += Int64(count)
            return
        }
        try conversion.convert(decoder.frame)
        staged = 0..<count
        // Drop encoder padding after the end.
        if let end = trimmedEnd { staged = 0..<max(0, min(count, Int(end - position))) }
        dropStaged()
    }

    private func dropStaged() {
        let dropped = min(max(0, target - position), Int64(staged.count))
        staged = staged.lowerBound + Int(dropped)..<staged.upperBound
        position += dropped
    }

    private func finish() {
        isAtEnd = true
        guard position >= target, !isInexact else { return }
        if media.durationIsExact, let duration = media.duration, position < duration { missingEnd = 1 }
        media.duration = position
        media.durationIsExact = true
    }

    private func progress(_ frames: Int, newFormat: AudioFormat? = nil) -> WorkerProgress {
        let isOver = isAtEnd && staged.isEmpty
        return WorkerProgress(
            frames: frames, endOfStream: isOver, damage: damageBefore + decoder.damage + missingEnd, format: newFormat,
            duration: isOver && media.durationIsExact ? media.duration : nil)
    }

    // MARK: Opening

    private static func open(
        _ bytes: any SourceBytes, _ source: WorkerSource
    ) throws(WorkerFailure) -> (Container, TrackDecoder) {
        let container = try Container(bytes, source)
        let track = try container.audioTrack()
        container.keepOnly(track)
        let parameters = track.pointee.codecpar!
        if parameters.pointee.sample_rate == 0 || parameters.pointee.ch_layout.nb_channels == 0 {
            // The format is only in the packets. Otherwise nothing is read ahead.
            avformat_find_stream_info(container.context, nil)
            try container.input.check()
        }
        return (container, try TrackDecoder(container, track))
    }

    /// Counts the frames of a raw file, whose header lacks the length, without decoding. This also builds an index.
    private func countRawFrames() throws(WorkerFailure) {
        let size = Int64(decoder.frame.pointee.nb_samples)
        let count = try container.countPackets(of: decoder.stream)
        try startOver()
        guard count > 0 else { return }
        media.duration = count * size
        media.durationIsExact = true
        if let bytes = source.size {
            media.bitrate = Int(clamping: Double(bytes) * 8 / (Double(count * size) / Double(media.format.sampleRate)))
        }
    }
}
