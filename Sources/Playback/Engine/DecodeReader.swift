// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel
internal import Synchronization

/// A decoder, the chunk that was decoded last, and the chunk's position in the media.
final class DecodeReader {
    private static let isInterrupted = MediaError(.cancelled, "Decoding was interrupted.")

    let decoder: any AudioDecoder
    /// The description that was last reported to the player.
    var reported: MediaDescription
    private(set) var isUsed = false
    private(set) var isAtEnd = false
    private(set) var available = 0
    private var mediaHasChanged = false
    /// The media frame of the first available frame.
    private var frame: FrameCount = 0
    /// The format of the available frames.
    private(set) var format: AudioFormat
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

    /// The position of the first available frame, in seconds.
    var position: Double { format.seconds(frame) }

    /// Frames until that position; 0 after it.
    func framesLeft(until seconds: Double) -> Int { Int(clamping: max(0, format.frames(seconds) - frame)) }

    /// Seconds from the first available frame to the end; nil unless the end is known exactly.
    var secondsLeft: Double? {
        let media = decoder.media
        guard media.durationIsExact, let duration = media.durationInSeconds else { return nil }
        return duration - position
    }

    func seek(to seconds: Double) throws(MediaError) {
        available = 0
        isAtEnd = false
        frame = try decoder.seek(to: decoder.media.format.frames(seconds))
    }

    /// Decodes and discards up to the position: for items that are not seekable. Ends early at the item's end.
    func pass(to seconds: Double) throws(MediaError) {
        while position < seconds {
            try fill()
            guard available > 0 else { return }
            consume(max(1, min(available, Int(format.frames(seconds) - frame))))
            if cancellation.wantsReturn { throw Self.isInterrupted }
        }
    }

    /// Makes at least one frame available, unless the item has ended. Throws `cancelled` on cancellation or
    /// interruption, because a decoder may search for a frame for any length of time.
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
            if available == 0, !isAtEnd, cancellation.wantsReturn { throw Self.isInterrupted }
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

    /// True if the description has changed since the last call.
    func takeMediaChange() -> Bool {
        defer { mediaHasChanged = false }
        return mediaHasChanged
    }
}

/// The time that a player's decoders have used. Any thread may call it.
final class DecodeMeter: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

    /// Counts the duration of `work`, including waits for the source.
    func measure<Value>(_ work: () throws(MediaError) -> Value) throws(MediaError) -> Value {
        let began = MonotonicTime.now
        defer { nanoseconds.add(MonotonicTime.now.nanoseconds - began.nanoseconds, ordering: .relaxed) }
        return try work()
    }
}
