// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel
internal import Synchronization

/// A decoder with the one chunk that was decoded ahead, and where that chunk stands in the media.
final class DecodeReader {
    let decoder: any AudioDecoder
    /// The media that was last reported to the player.
    var reported: MediaDescription
    private(set) var isUsed = false
    private(set) var isAtEnd = false
    private(set) var available = 0
    private(set) var mediaHasChanged = false
    /// Media frame of the first available one.
    private var frame: FrameCount = 0
    private var format: AudioFormat
    private let samples: UnsafeMutableBufferPointer<Float>
    private var consumed = 0
    private let cancellation: MediaCancellation
    private let meter: DecodeMeter

    init(
        _ decoder: any AudioDecoder, chunk: Int, cancellation: MediaCancellation, meter: DecodeMeter = DecodeMeter()
    ) {
        self.decoder = decoder
        self.meter = meter
        self.cancellation = cancellation
        reported = decoder.media
        format = decoder.media.format
        samples = .allocate(capacity: chunk * 8)
    }

    deinit {
        samples.deallocate()
    }

    /// Seconds into the media of the first available frame.
    var position: Double { format.seconds(frame) }

    /// Frames until that place; 0 behind it.
    func framesLeft(until seconds: Double) -> Int { Int(clamping: max(0, format.frames(seconds) - frame)) }

    /// Seconds of the media from the first available frame on; nil unless its end is known exactly.
    var secondsLeft: Double? {
        let media = decoder.media
        guard media.durationIsExact, let duration = media.duration else { return nil }
        return media.format.seconds(duration) - position
    }

    /// Shape of the available frames.
    var availableFormat: AudioFormat { format }

    func seek(to seconds: Double) throws(MediaError) {
        available = 0
        isAtEnd = false
        frame = try decoder.seek(to: decoder.media.format.frames(seconds))
    }

    /// Goes on to the place by decoding what lies before it: for what cannot be searched. Ends early at the media's end.
    func pass(to seconds: Double) throws(MediaError) {
        while position < seconds {
            try fill()
            guard available > 0 else { return }
            consume(max(1, min(available, Int(format.frames(seconds) - frame))))
            if cancellation.wantsReturn { throw MediaError(.cancelled, "Something else is wanted.") }
        }
    }

    /// Makes at least one frame available, unless the media is at its end. Throws `cancelled` when that is not wanted any
    /// more: a decoder may find no frame for as long as it likes.
    func fill() throws(MediaError) {
        isUsed = true
        while available == 0, !isAtEnd {
            format = decoder.media.format
            let capacity = samples.count / 8 * format.channelCount
            let result = try meter.measure { () throws(MediaError) in
                try decoder.decode(into: UnsafeMutableBufferPointer(rebasing: samples[..<capacity]))
            }
            available = result.frames
            consumed = 0
            isAtEnd = result.endOfStream
            mediaHasChanged = mediaHasChanged || result.mediaChanged
            if available == 0, !isAtEnd, cancellation.wantsReturn {
                throw MediaError(.cancelled, "Something else is wanted.")
            }
        }
    }

    /// The available frames; valid until the next `consume` or `fill`.
    var chunk: UnsafeBufferPointer<Float> {
        let channels = format.channelCount
        return UnsafeBufferPointer(rebasing: samples[consumed * channels..<(consumed + available) * channels])
    }

    func consume(_ frames: Int) {
        available -= frames
        consumed += frames
        frame += FrameCount(frames)
    }

    /// Whether the media changed since this was asked last.
    func takeMediaChange() -> Bool {
        defer { mediaHasChanged = false }
        return mediaHasChanged
    }
}

/// The time that a player's decoders have taken. Any thread.
final class DecodeMeter: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

    /// Counts what `work` takes, in which a decoder may wait for its source.
    func measure<Value>(_ work: () throws(MediaError) -> Value) throws(MediaError) -> Value {
        let began = MonotonicTime.now
        defer { nanoseconds.add(MonotonicTime.now.nanoseconds - began.nanoseconds, ordering: .relaxed) }
        return try work()
    }
}
