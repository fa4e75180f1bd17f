// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Playback
internal import Kernel

/// The sound of an HLS stream: one decoder for each run of them, silence where one is missing. Lives on the decode
/// thread.
final class HLSDecoder: AudioDecoder {
    private(set) var media: MediaDescription

    private let stream: HLSStream
    private let context: HLSContext
    private let selection: MediaExaminer
    private var run: HLSRun?
    private var inner: (any AudioDecoder)?
    /// The run that follows.
    private var ahead: HLSAhead?
    /// The sequence number that follows; nil at the end.
    private var next: Int64?
    private var clocks = HLSClocks()
    /// Of the next frame that `inner` gives, or of the silence before it.
    private var position: FrameCount = 0
    /// Frames before this one are dropped.
    private var target: FrameCount = 0
    private var silence: FrameCount = 0
    /// Of runs that are over, and segments that were missing.
    private var damage = 0
    private var missingInARow = 0
    private var missingSeconds = 0.0
    /// Seconds that are missing and were not made silence yet, and those that may be besides.
    private var owed = 0.0
    private var slack = 0.0
    /// It was played from the beginning without a jump.
    private var isExact = true
    /// The farthest place in seconds that was decoded.
    private var farthest = 0.0

    /// Seconds decoded before a place: what a frame takes over from those before it.
    private static let preroll = 0.5
    /// Of a missing segment, left to the clock of the next one.
    private static let unreported = 0.25
    /// A jump ahead of so many seconds at most is decoded through.
    private static let shortJump: FrameCount = 4
    /// Seconds by which the sound may be longer than the playlist, whose durations are rounded.
    private static let rounding = 1.0

    /// Blocks until the first frames are there.
    init(_ stream: HLSStream, _ selection: MediaExaminer, _ context: HLSContext) throws(MediaError) {
        self.stream = stream
        self.context = context
        self.selection = selection
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
                // The new format holds from the next call on.
                if changed { return DecodedFrames(frames: 0, mediaChanged: true) }
                continue
            }
            let format = media.format
            let result: DecodedFrames
            do throws(MediaError) {
                result = try decoder.decode(into: samples)
            } catch {
                // It stands in the middle of what it could not read.
                (inner, next) = (nil, run?.sequence)
                throw error
            }
            if result.mediaChanged { changed = refresh() || changed }
            let frames = dropped(result.frames, of: samples, format)
            if frames > 0 { (missingInARow, missingSeconds) = (0, 0) }
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
            // Where the times of the playlist are of no use, it is decoded from the beginning.
            guard let sequence = stream.sequence(at: isMistimed ? -1 : max(0, seconds - earlier)) else {
                return position
            }
            try enter(sequence, isContinued: false)
            refresh()
            // By its own clock the segment may begin later than by the playlist.
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

    /// Nothing is read any more, and nothing follows.
    private func leave() { (run, inner, ahead, next) = (nil, nil, nil, nil) }

    /// Begins the run at this segment, behind silence where segments are missing.
    private func enter(_ sequence: Int64, isContinued: Bool) throws(MediaError) {
        var sequence = sequence
        var place = isContinued ? nil : stream.start(of: sequence)
        let prepared = isContinued && ahead?.first == sequence ? ahead : nil
        leave()
        ahead = prepared
        if !isContinued { (silence, missingInARow, missingSeconds, owed, slack) = (0, 0, 0, 0, 0) }
        while true {
            let (new, opened) = try open(sequence)
            var loss: (slot: HLSSchedule.Slot, error: MediaError)?
            switch new.end {
            case _ where opened != nil:
                switch opened {
                case .success(let decoder)?: return settle(new, decoder, place: place)
                case .failure(let error)?:
                    guard let slot = new.first, [.unsupported, .empty].contains(error.code) else { throw error }
                    loss = (slot, error)
                case nil: return
                }
            case nil, .stream: return
            case .run(let other): sequence = other
            case .jump(let other):
                (sequence, owed, slack) = (other, 0, 0)
                clocks = HLSClocks()
            case .missing(let slot, let error, _): loss = (slot, error)
            }
            if let loss {
                try miss(loss.slot, loss.error)
                sequence = loss.slot.segment.sequence + 1
                guard !isContinued else {
                    // It is heard at once, but for a little that the next segment's clock will correct.
                    let heard = max(0, owed - Self.unreported)
                    silence += media.format.frames(heard)
                    (owed, next) = (owed - heard, sequence)
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
        guard new.end == nil else { return (new, nil) }
        do throws(MediaError) {
            return (new, .success(try selection.open(new)))
        } catch {
            return (new, .failure(error))
        }
    }

    /// Begins to open the next run when that will be needed soon.
    private func lookAhead() {
        guard ahead == nil, let run, run.end == nil, let first = run.first?.segment,
            let sequence = stream.nextRun(after: run.sequence, of: first)
        else { return }
        ahead = HLSAhead(stream, from: sequence, context, selection)
    }

    private func miss(_ slot: HLSSchedule.Slot, _ error: MediaError) throws(MediaError) {
        missingInARow += 1
        missingSeconds += slot.segment.duration
        let isBorne =
            missingInARow <= context.hls.missing
            ? missingSeconds <= context.hls.missingSeconds
            : stream.isLive && missingSeconds <= context.hls.missingLiveSeconds
        guard isBorne else { throw error }
        damage += 1
        media.decodeErrors += 1
        owed += slot.segment.duration
    }

    /// `place`: seconds of the first segment that was looked for by the playlist, nil when it goes on where the last one ended.
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
        let exact = clock.flatMap { clocks.place(recording, $0, rate: format.sampleRate, estimate: here + owed) }
        if place != nil {
            position = FrameCount(clamping: ((owed > 0 ? here : exact ?? here) * Double(format.sampleRate)).rounded())
        }
        if owed + slack > 0 {
            let lost = exact.map { min(max(0, $0 - here), owed + slack + 1) } ?? owed
            silence += FrameCount(clamping: (lost * Double(format.sampleRate)).rounded())
        }
        (owed, slack) = (0, 0)
        if let clock { clocks.learn(recording, clock, at: format.seconds(position + silence)) }
    }

    private func leaveRun() {
        damage += inner?.media.decodeErrors ?? 0
        // Only a run that was followed to its end has led the stream to the next one.
        if case .run = run?.end {} else { ahead = nil }
        switch run?.end {
        case .run(let sequence): next = sequence
        case .jump(let sequence):
            next = sequence
            clocks = HLSClocks()
        case .missing(let slot, _, let isBegun):
            next = slot.segment.sequence + (isBegun ? 1 : 0)
            if isBegun { (slack, damage) = (slot.segment.duration, damage + 1) }
        case .stream: next = nil
        // Its decoder has given up before the run's end.
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

    /// How many of these are left when those before the target are gone.
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

    /// Seconds by the playlist; nil of a live stream, and once more than that was decoded.
    private var listed: Double? {
        stream.duration.flatMap { $0 > 0 && farthest <= $0 + Self.rounding ? $0 : nil }
    }

    /// The segments are much longer than the playlist claims.
    private var isMistimed: Bool { stream.duration.map { farthest > $0 * 2 + Self.rounding } ?? false }

    /// Whether there is news.
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

    /// At the end its length is known. Whether that is news.
    private func finish() -> Bool {
        guard isExact, !stream.isLive, media.duration != position || !media.durationIsExact else { return false }
        (media.duration, media.durationIsExact) = (position, true)
        return true
    }
}
