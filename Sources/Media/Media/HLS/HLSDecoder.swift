// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback

/// Decodes an HLS stream: one inner decoder for each run of segments, silence in place of missing ones. Lives on the
/// decode thread.
final class HLSDecoder: AudioDecoder {
    private(set) var media: MediaDescription

    private let stream: HLSStream
    private let context: HLSContext
    private let selection: MediaExaminer
    private var run: HLSRun?
    private var inner: (any AudioDecoder)?
    /// The next run, being opened ahead of its turn.
    private var ahead: HLSAhead?
    /// Sequence number of the next run's first segment; nil at the end.
    private var next: Int64?
    private var clocks = HLSClocks()
    /// Position of the next frame from `inner`, or of the silence before it.
    private var position: FrameCount = 0
    /// Frames before this one are dropped.
    private var target: FrameCount = 0
    /// Frames of silence still to be returned.
    private var silence: FrameCount = 0
    /// Decode errors of finished runs, plus missing segments.
    private var damage = 0
    private var gap: HLSGap
    /// The stream was decoded from its beginning without a seek.
    private var isExact = true
    /// The farthest position decoded so far, in seconds.
    private var farthest = 0.0

    /// Seconds decoded and dropped before a seek target, as a frame depends on those before it.
    private static let preroll = 0.5
    /// A forward seek of up to this many seconds decodes what lies between.
    private static let shortJump: FrameCount = 4
    /// Seconds by which the audio may exceed the playlist's duration, which is rounded.
    private static let rounding = 1.0

    /// Blocks until the first run is open.
    init(_ stream: HLSStream, _ selection: MediaExaminer, _ context: HLSContext) throws(MediaError) {
        self.stream = stream
        self.context = context
        self.selection = selection
        gap = HLSGap(context.hls, isLive: stream.isLive)
        media = MediaDescription(format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: nil)
        try enter(stream.firstSequence, isContinued: false)
        guard let inner else { throw MediaError(.empty, "\(stream.name) is empty: its playlist has no segments.") }
        media = inner.media
        refresh()
    }

    func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        var changed = false
        while true {
            if silence > 0 {
                let frames = silent(into: samples)
                if frames > 0 { return DecodedFrames(frames: frames, mediaChanged: changed) }
                continue
            }
            guard let decoder = inner else {
                guard let next else {
                    return DecodedFrames(frames: 0, endOfStream: true, mediaChanged: finish() || changed)
                }
                let before = media
                try enter(next, isContinued: true)
                refresh()
                changed = changed || media != before
                // The new format applies from the next call on.
                if changed { return DecodedFrames(frames: 0, mediaChanged: true) }
                continue
            }
            let format = media.format
            let result: DecodedFrames
            do throws(MediaError) {
                result = try decoder.decode(into: samples)
            } catch {
                // The decoder stopped in the middle of a segment: the next call opens that segment again.
                (inner, next) = (nil, run?.sequence)
                throw error
            }
            if result.mediaChanged { changed = refresh() || changed }
            let frames = dropped(result.frames, of: samples, format)
            if frames > 0 { gap.heard() }
            let wasListed = listed != nil
            farthest = max(farthest, media.format.seconds(position))
            if wasListed, listed == nil { changed = refresh() || changed }
            if result.endOfStream { leaveRun() } else { lookAhead() }
            if frames > 0 || changed { return DecodedFrames(frames: frames, mediaChanged: changed) }
        }
    }

    func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        guard media.isSeekable else {
            throw MediaError(.unsupported, "\(stream.name) is a live stream, which is not seekable.")
        }
        let rate = FrameCount(media.format.sampleRate)
        if inner != nil, frame >= max(position, target), isMistimed || frame - position <= Self.shortJump * rate {
            target = frame
            return frame
        }
        isExact = false
        let seconds = media.format.seconds(frame)
        if let listed, seconds >= listed {
            leave()
            silence = 0
            position = media.duration ?? frame
            return position
        }
        var earlier = Self.preroll
        while true {
            // With unusable times in the playlist, decode from the beginning.
            guard let sequence = stream.sequence(at: isMistimed ? -1 : max(0, seconds - earlier)) else {
                return position
            }
            try enter(sequence, isContinued: false)
            refresh()
            // By its own clock, the segment may begin later than the playlist says.
            if media.format.seconds(position) + Self.preroll / 2 <= seconds || seconds <= earlier || earlier > 60
                || isMistimed
            {
                break
            }
            earlier = earlier * 2 + 2
        }
        target = media.format.frames(seconds)
        return max(target, position)
    }

    // MARK: Runs

    /// Drops the current run and whatever follows it.
    private func leave() { (run, inner, ahead, next) = (nil, nil, nil, nil) }

    /// Opens the run that begins at this segment, with silence before it where segments are missing.
    private func enter(_ sequence: Int64, isContinued: Bool) throws(MediaError) {
        var sequence = sequence
        var place = isContinued ? nil : stream.start(of: sequence)
        let prepared = isContinued && ahead?.first == sequence ? ahead : nil
        leave()
        ahead = prepared
        if !isContinued { (silence, gap) = (0, HLSGap(context.hls, isLive: stream.isLive)) }
        while true {
            let (new, opened) = try open(sequence)
            var loss: (slot: HLSSchedule.Slot, error: MediaError)?
            switch (opened, new.end) {
            case (.success(let decoder?), _): return settle(new, decoder, place: place)
            case (.failure(let error), _):
                guard let slot = new.first, [.unsupported, .empty].contains(error.code) else { throw error }
                loss = (slot, error)
            case (_, nil), (_, .stream): return
            case (_, .run(let other)): sequence = other
            case (_, .jump(let other)):
                sequence = other
                gap.forget()
                clocks = HLSClocks()
            case (_, .missing(let slot, let error, _)): loss = (slot, error)
            }
            if let loss {
                guard gap.add(loss.slot.segment.duration) else { throw loss.error }
                damage += 1
                media.decodeErrors += 1
                sequence = loss.slot.segment.sequence + 1
                guard !isContinued else {
                    silence += media.format.frames(gap.take())
                    next = sequence
                    return
                }
            }
            if place == nil, !isContinued { place = stream.start(of: sequence) }
        }
    }

    private func open(_ sequence: Int64) throws(MediaError) -> (HLSRun, HLSAhead.Opened) {
        let prepared = ahead?.first == sequence ? ahead : nil
        ahead = nil
        if let found = prepared?.adopt() { return found }
        let new = HLSRun(stream, from: sequence, context)
        try new.begin()
        guard new.end == nil else { return (new, .success(nil)) }
        return (new, HLSAhead.Opened { () throws(MediaError) in try selection.open(new) })
    }

    /// Starts to open the next run if it is due soon.
    private func lookAhead() {
        guard ahead == nil, let run, run.end == nil, let first = run.first?.segment,
            let sequence = stream.nextRun(after: run.sequence, of: first)
        else { return }
        ahead = HLSAhead(stream, from: sequence, context, selection)
    }

    /// Makes an opened run the current one. `place`: start of its first segment by the playlist, in seconds; nil if it continues
    /// where the last run ended.
    private func settle(_ new: HLSRun, _ decoder: any AudioDecoder, place: Double?) {
        (run, inner) = (new, decoder)
        let format = decoder.media.format
        if format.sampleRate != media.format.sampleRate {
            position = format.frames(media.format.seconds(position))
            target = format.frames(media.format.seconds(target))
            silence = format.frames(media.format.seconds(silence))
        }
        let recording = new.first?.segment.discontinuity ?? 0
        let clock =
            new.timestamp.map { MediaDescription.Clock(start: $0, grid: decoder.media.clock?.grid) }
            ?? (new.isPacked ? nil : decoder.media.clock)
        let here = place ?? format.seconds(position) + format.seconds(silence)
        let exact = clock.flatMap { clocks.place(recording, $0, rate: format.sampleRate, estimate: here + gap.owed) }
        if place != nil {
            position = format.frames(gap.owed > 0 ? here : exact ?? here)
        }
        silence += format.frames(gap.close(exact.map { $0 - here }))
        if let clock { clocks.learn(recording, clock, at: format.seconds(position + silence)) }
    }

    private func leaveRun() {
        damage += inner?.media.decodeErrors ?? 0
        // The run opened ahead is the next one only if this run was read to its end.
        if case .run = run?.end {} else { ahead = nil }
        switch run?.end {
        case .run(let sequence): next = sequence
        case .jump(let sequence):
            next = sequence
            clocks = HLSClocks()
        case .missing(let slot, _, let isBegun):
            next = slot.segment.sequence + (isBegun ? 1 : 0)
            if isBegun {
                gap.brokeOff(slot.segment.duration)
                damage += 1
            }
        case .stream: next = nil
        // The decoder ended before its run did.
        case nil: next = run.map { $0.sequence + 1 }
        }
        (run, inner) = (nil, nil)
    }

    // MARK: Frames

    private func silent(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
        let skipped = min(silence, max(0, target - position))
        position += skipped
        silence -= skipped
        let channels = media.format.channelCount
        let frames = Int(min(silence, FrameCount(samples.count / channels)))
        samples[..<(frames * channels)].update(repeating: 0)
        position += FrameCount(frames)
        silence -= FrameCount(frames)
        return frames
    }

    /// Drops frames before the seek target and returns the number of frames left.
    private func dropped(_ frames: Int, of samples: UnsafeMutableBufferPointer<Float>, _ format: AudioFormat) -> Int {
        let surplus = Int(min(FrameCount(frames), max(0, target - position)))
        position += FrameCount(frames)
        guard surplus > 0 else { return frames }
        let channels = format.channelCount
        let rest = (frames - surplus) * channels
        if rest > 0, let base = samples.baseAddress { base.update(from: base + surplus * channels, count: rest) }
        return frames - surplus
    }

    // MARK: Description

    /// The playlist's duration in seconds; nil for a live stream, and once more than that was decoded.
    private var listed: Double? {
        stream.duration.flatMap { $0 > 0 && farthest <= $0 + Self.rounding ? $0 : nil }
    }

    /// The segments are much longer than the playlist says.
    private var isMistimed: Bool { stream.duration.map { farthest > $0 * 2 + Self.rounding } ?? false }

    /// Derives `media` from the inner decoder. Returns true if it changed.
    @discardableResult private func refresh() -> Bool {
        guard let inner else { return false }
        var new = inner.media
        new.duration = listed.map { new.format.frames($0) }
        new.durationIsExact = false
        new.isSeekable = !stream.isLive
        new.audioBytes = nil
        new.clock = nil
        new.tags = media.tags == MediaDescription.Tags() ? new.tags : media.tags
        new.decodeErrors += damage
        new.broadcast = stream.isLive ? Broadcast() : nil
        defer { media = new }
        return new != media
    }

    /// Sets the exact length at the end. Returns true if `media` changed.
    private func finish() -> Bool {
        guard isExact, !stream.isLive, media.duration != position || !media.durationIsExact else { return false }
        (media.duration, media.durationIsExact) = (position, true)
        return true
    }
}
