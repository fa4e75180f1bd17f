// SPDX-License-Identifier: Apache-2.0

public import Audio
internal import CMpg123
public import Media
public import Playback
internal import Kernel

/// Decodes MPEG audio by libmpg123.
public final class Mpg123Decoder: AudioDecoder {
    /// Largest sizes for a scan of a file whose header lacks the length: at opening (about 1 ms), and at the first seek (about 0.1 s).
    static let scanAtOpen: Int64 = 2 << 20
    static let scanAtSeek: Int64 = 128 << 20
    static let indexSize = 2_048
    /// A seek in a remote file of variable bit rate is exact if it can count the frames in up to this many bytes within `countingLimit`.
    /// Otherwise it is approximate.
    static let countedAtSeek: Int64 = 16 << 20
    /// Larger leading tags are skipped unread: a picture of 16 MB and some room.
    static let largestTag: Int64 = 20 << 20

    public private(set) var media: MediaDescription

    private let reader: SourceReader
    private let handle: Mpg123Handle
    private let layout: StreamLayout
    private var length: LengthEstimate
    private var damage = DamageCounter()
    /// Decoded samples not returned yet; points into the library's buffer.
    private var pending = UnsafeBufferPointer<Float>(start: nil, count: 0)
    private var position: FrameCount = 0
    private var isAtEnd = false
    /// A new format that no second frame has confirmed yet: it may be damaged bytes that look like a header. Its samples are dropped.
    private var foreignFormat: AudioFormat?
    private var isScanned = false
    /// The last seek was approximate, so frame counts do not give the length any more.
    private var isInexact = false {
        didSet {
            media.positionIsExact = !isInexact
            if isInexact != oldValue { hasNews = true }
        }
    }
    /// `media` has changed; the next `decode` reports it.
    private var hasNews = false
    /// Byte offset up to which all frames are counted, so that seeks are exact.
    private var counted: Int64 = 0
    /// The library's index was calculated for a constant bit rate.
    private var isIndexCalculated = false
    /// The last seek used a calculated offset.
    private var hasCalculated = false
    /// Seconds.
    var countingLimit = 3.0

    /// `isOutline`: for a catalogue. Without pictures; the length is estimated if the file does not contain it.
    public init(_ source: any ByteSource, isOutline: Bool = false) throws(MediaError) {
        layout = try StreamLayout(source)
        reader = SourceReader(source)
        do throws(Mpg123Error) {
            handle = try Mpg123Handle()
            try Self.configure(handle, layout, source, isOutline: isOutline)
            try handle.open(reader)
            if !source.isLocal, let size = source.size { try handle.setSize(size.bytes) }
        } catch {
            throw reader.failure ?? error.mediaError(source.name)
        }
        let format = try Self.firstFormat(handle, reader: reader, layout: layout)
        do throws(Mpg123Error) {
            var tags = try TagReader.read(handle)
            if !isOutline, tags.picture == nil, source.isSeekable {
                tags.picture = try reader.reading { () throws(MediaError) in try Version2Picture.find(in: source) }
            }
            // Tags in the middle of a stream are useless and may be large.
            try handle.set(MPG123_ADD_FLAGS, Int(MPG123_SKIP_ID3V2.rawValue))
            // The file is MPEG audio: search longer for the next frame in damaged parts.
            try handle.set(MPG123_RESYNC_LIMIT, 1 << 20)
            length = LengthEstimate(
                layout: layout, firstFrame: handle.framePosition, samplesPerFrame: handle.samplesPerFrame)
            let start = max(0, handle.framePosition)
            let first = FrameHeader(
                try reader.reading { () throws(MediaError) in try source.bytes(at: start, count: 4) }[...])
            media = MediaDescription(
                format: format, duration: nil, durationIsExact: false,
                isSeekable: source.isSeekable && source.size != nil,
                encoding: Self.encoding(try handle.frameInfo(), first: first, info: layout.info, handle: handle),
                tags: tags)
            if !source.isLocal, layout.info == nil { try lookForChanges() }
            media.isCut = length.isCut
            media.audioBytes = layout.audioEnd.map { min(layout.audioStart, $0)..<$0 }
            try findLength(mayScan: !isOutline)
            if !source.isLocal { try prepareSeeking() }
        } catch {
            throw reader.failure ?? error.mediaError(source.name)
        }
    }

    public func decode(into samples: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> DecodedFrames {
        let channels = media.format.channelCount
        let capacity = samples.count / channels * channels
        var filled = 0
        var changed = hasNews
        hasNews = false
        while filled < capacity {
            if !pending.isEmpty {
                let count = min(pending.count, capacity - filled)
                samples.baseAddress!.advanced(by: filled).update(from: pending.baseAddress!, count: count)
                pending = UnsafeBufferPointer(rebasing: pending[count...])
                filled += count
                continue
            }
            if isAtEnd { break }
            switch handle.decodeFrame() {
            case .decoded(let decoded):
                if try noteFrame() { changed = true }
                guard let format = foreignFormat else {
                    pending = decoded
                    continue
                }
                guard try isConfirmed() else { continue }
                pending = decoded
                foreignFormat = nil
                media.format = format
                position += FrameCount(filled / channels)
                return DecodedFrames(frames: filled / channels, mediaChanged: true)
            case .newFormat:
                let format = try calling { () throws(Mpg123Error) in try handle.format() } ?? media.format
                foreignFormat = format == media.format ? nil : format
            case .done:
                // While searching for a frame, the library treats a failed read as the end.
                if let failure = reader.failure { throw failure }
                if try finish(position + FrameCount(filled / channels)) { changed = true }
            case .failed(let error):
                if let failure = reader.failure { throw failure }
                guard error.code != MPG123_OUT_OF_MEM.rawValue else { throw error.mediaError(reader.source.name) }
                changed = true
                damage.count += 1
                if !damage.mayGoOn(at: reader.position) {
                    _ = try finish(position + FrameCount(filled / channels))
                }
            }
        }
        if media.decodeErrors != damage.count {
            media.decodeErrors = damage.count
            changed = true
        }
        position += FrameCount(filled / channels)
        return DecodedFrames(frames: filled / channels, endOfStream: isAtEnd && pending.isEmpty, mediaChanged: changed)
    }

    public var sourceOffset: Int64? { max(0, handle.framePosition) }

    public func seek(to frame: FrameCount) throws(MediaError) -> FrameCount {
        guard media.isSeekable else { throw MediaError(.unsupported, "\(reader.source.name) is not seekable.") }
        pending = UnsafeBufferPointer(start: nil, count: 0)
        damage.seeked()
        length.stopMeasuring()
        reader.recover()
        return try calling { () throws(Mpg123Error) in
            if reader.source.isLocal, !media.durationIsExact, !isScanned,
                (reader.source.size?.bytes ?? 0) <= Self.scanAtSeek
            {
                try scan()
            }
            let limit = media.durationIsExact ? media.duration ?? .max : .max
            let target = min(max(0, frame), limit)
            let isCalculated = reader.source.isLocal || media.encoding.bitrateMode == .constant
            hasCalculated = isIndexCalculated && isCalculated && target > 0
            position = isCalculated ? try handle.seek(to: target) : try seekRemotely(to: target)
            isAtEnd = position >= limit
            return position
        }
    }
}

extension Mpg123Decoder {
    /// Seeks in a remote file of variable bit rate, where only counting finds a frame. The library's index covers bytes up to `counted`;
    /// the rest is read if it is short and arrives quickly.
    private func seekRemotely(to frame: FrameCount) throws(Mpg123Error) -> FrameCount {
        if length.offset(of: frame, in: media.duration) - counted <= Self.countedAtSeek {
            try handle.set(MPG123_REMOVE_FLAGS, Int(MPG123_FUZZY.rawValue))
            if isIndexCalculated {
                // `setIndex` changes the index size: restore it.
                try handle.setIndex([max(0, length.firstFrame)], step: 1)
                try handle.set(MPG123_INDEX_SIZE, Self.indexSize)
                isIndexCalculated = false
            }
            reader.deadline = .now + .seconds(countingLimit)
            defer { reader.deadline = nil }
            do throws(Mpg123Error) {
                let reached = try handle.seek(to: frame)
                // The library treats a failed read as the target.
                guard reader.failure == nil else { throw Mpg123Error(code: MPG123_ERR_READER.rawValue, call: "read") }
                isInexact = false
                counted = max(counted, handle.framePosition)
                length.measure(from: reached)
                return reached
            } catch {
                guard reader.isTooLate else { throw error }
                reader.recover()
            }
        }
        try handle.set(MPG123_ADD_FLAGS, Int(MPG123_FUZZY.rawValue))
        isInexact = frame > 0
        return try handle.seek(to: frame)
    }

    /// Without a header that declares it, looks for a variable bit rate in the first frames.
    private func lookForChanges() throws(Mpg123Error) {
        try reader.reading { () throws(MediaError) in try length.lookAhead(reader.source) }
        if length.isVariable { noteVariable() }
    }

    /// The bit rate is variable after all: discards what was calculated for a constant one.
    private func noteVariable() {
        guard media.encoding.bitrateMode == .constant else { return }
        media.encoding.bitrateMode = .variable
        (counted, isInexact) = (0, isInexact || hasCalculated)
    }

    /// Calls the library. If a read has failed, the error is that of the source.
    private func calling<Value>(_ body: () throws(Mpg123Error) -> Value) throws(MediaError) -> Value {
        do throws(Mpg123Error) {
            return try body()
        } catch {
            throw reader.failure ?? error.mediaError(reader.source.name)
        }
    }

    private func findLength(mayScan: Bool) throws(Mpg123Error) {
        if let frames = layout.info?.frames {
            // The library does not know VBRI and plays its header frame, as silence.
            let played = frames + (length.firstFrame == layout.audioStart ? 1 : 0)
            let whole = layout.info?.isVBRI == true ? played * Int64(handle.samplesPerFrame) : handle.length
            if let whole, !length.contradictsHeader {
                media.duration = whole
                media.durationIsExact = true
                return
            }
        }
        let isLocal = reader.source.isLocal
        if isLocal, mayScan, media.isSeekable, let size = reader.source.size,
            size.bytes - layout.audioStart <= Self.scanAtOpen
        {
            try scan()
        } else {
            if isLocal, media.isSeekable {
                try reader.reading { () throws(MediaError) in try length.sample(reader.source) }
            }
            let rate = media.format.sampleRate
            media.duration =
                length.sampled ?? length.ofHead ?? length.estimate(bitrate: media.encoding.bitrate, sampleRate: rate)
            if length.sampled != nil, let frames = media.duration,
                let mean = length.meanBitrate(frames: frames, sampleRate: rate)
            {
                noteMean(mean)
            }
        }
    }

    /// At a constant bit rate, calculates the offsets of frames.
    private func prepareSeeking() throws(Mpg123Error) {
        guard media.isSeekable, media.encoding.bitrateMode == .constant, let bitrate = media.encoding.bitrate,
            let frames = media.duration.map({ $0 / FrameCount(handle.samplesPerFrame) + 2 }), frames > 0
        else { return }
        let frameSize = Double(handle.samplesPerFrame) / 8 * Double(bitrate) / Double(media.format.sampleRate)
        let step = frames / Int64(Self.indexSize) + 1
        let offsets = (0..<min(Int64(Self.indexSize), frames / step + 1)).map { entry in
            // Padding shifts a frame by one byte at most, and the library searches forward for the header.
            length.firstFrame + (entry == 0 ? 0 : Int64(clamping: Double(entry * step) * frameSize) - 2)
        }
        try handle.setIndex(offsets, step: step)
        isIndexCalculated = true
    }

    private func scan() throws(Mpg123Error) {
        isScanned = true
        try handle.scan()
        guard let whole = handle.length else { return }
        media.duration = whole
        media.durationIsExact = true
        if let mean = length.meanBitrate(frames: whole, sampleRate: media.format.sampleRate) { noteMean(mean) }
    }

    private func noteMean(_ mean: Int) {
        guard media.encoding.bitrateMode != .free, let bitrate = media.encoding.bitrate else { return }
        if media.encoding.bitrateMode == .constant, abs(mean - bitrate) * 50 < bitrate { return }
        media.encoding.bitrateMode = media.encoding.bitrateMode == .average ? .average : .variable
        media.encoding.bitrate = mean
    }

    /// Tracks a decoded frame: gaps count as damage, sizes refine the length. Returns true if `media` changed.
    private func noteFrame() throws(MediaError) -> Bool {
        let info = try calling { () throws(Mpg123Error) in try handle.frameInfo() }
        let start = handle.framePosition
        if let gap = damage.frame(at: start, size: Int(info.framesize)), try !isTag(at: gap) { damage.count += 1 }
        var isNews = false
        if isIndexCalculated, layout.info == nil, info.bitrate > 0, Int(info.bitrate) * 1_000 != media.encoding.bitrate,
            media.encoding.bitrateMode == .constant
        {
            noteVariable()
            isNews = true
        }
        if !isInexact, !isIndexCalculated { counted = max(counted, start) }
        guard !media.durationIsExact else { return isNews }
        guard let estimate = length.frame(at: start, size: Int(info.framesize)) else { return isNews }
        media.duration = estimate
        if let mean = length.meanBitrate(frames: estimate, sampleRate: media.format.sampleRate) { noteMean(mean) }
        return true
    }

    /// Whether a frame of the same kind, or the end, follows the last parsed frame.
    private func isConfirmed() throws(MediaError) -> Bool {
        guard let next = damage.expected, let end = layout.audioEnd else { return true }
        if next == end { return true }
        guard let header = FrameHeader(try reader.source.bytes(at: handle.framePosition, count: 4)[...]),
            let follower = FrameHeader(try reader.source.bytes(at: next, count: 4)[...])
        else { return false }
        return follower.continues(header)
    }

    private func isTag(at offset: Int64) throws(MediaError) -> Bool {
        let head = try reader.source.bytes(at: offset, count: 8)
        return head.starts(with: "ID3".utf8) || head.starts(with: "TAG".utf8) || head.starts(with: "APETAGEX".utf8)
    }

    /// Handles the end at `frame`, which makes the length exact. Returns true if `media` changed.
    private func finish(_ frame: FrameCount) throws(MediaError) -> Bool {
        isAtEnd = true
        guard !isInexact else { return false }
        if let expected = damage.expected, let end = layout.audioEnd, expected + 4 <= end,
            FrameHeader(try reader.source.bytes(at: expected, count: 4)[...]) != nil
        {
            damage.count += 1
        } else if media.durationIsExact, let duration = media.duration, frame < duration {
            damage.count += 1
            media.isCut = true
        }
        damage.seeked()
        guard media.duration != frame || !media.durationIsExact else { return false }
        media.duration = frame
        media.durationIsExact = true
        return true
    }
}
