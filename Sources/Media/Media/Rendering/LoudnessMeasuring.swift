// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel
public import Playback

/// Measures how loud media are as a whole (EBU R128). It exists so that the library, which wants to know, imports no C library.
public protocol LoudnessMeasuring: Sendable {
    /// For one media, on one thread; nil when this format cannot be measured. Throws when the machine has nothing to measure with.
    func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)?
}

extension LoudnessMeasuring {
    /// Decodes a media to its end; of one that is longer than three hours, the beginning. nil when nothing of it is loud enough to
    /// count, or when `mustEnd`. Blocks.
    public func loudness(
        of decoder: any AudioDecoder, mustEnd: () -> Bool
    ) throws(MissingLibrary) -> MediaLoudness? {
        let format = decoder.media.format
        guard let measurement = try measurement(of: format) else { return nil }
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 65_536)
        defer { samples.deallocate() }
        var left = format.frames(3 * 3_600)
        do throws(MediaError) {
            while left > 0 {
                if mustEnd() { return nil }
                let decoded = try decoder.decode(into: samples)
                let count = decoded.frames * format.channelCount
                for index in 0..<count where !samples[index].isFinite { samples[index] = 0 }
                measurement.add(UnsafeBufferPointer(rebasing: samples[..<count]))
                left -= FrameCount(decoded.frames)
                if decoded.endOfStream { break }
            }
        } catch {
            // What plays up to a damaged place has been measured up to there.
        }
        return measurement.result
    }
}

public protocol LoudnessMeasurement: AnyObject {
    /// Interleaved, finite; whole frames.
    func add(_ samples: UnsafeBufferPointer<Float>)
    /// Of all that was added; nil when nothing of it was loud enough to count.
    var result: MediaLoudness? { get }
}

public struct MediaLoudness: Hashable, Sendable {
    /// LUFS that a gain of 0 dB stands for, as in ReplayGain 2.0.
    public static let reference = -18.0

    /// LUFS, integrated.
    public var loudness: Double
    /// The largest sample, linear.
    public var peak: Double
    /// Seconds of it that are loud enough to count (BS.1770-4, both gates).
    public var gatedSeconds: Double

    public init(loudness: Double, peak: Double, gatedSeconds: Double) {
        self.loudness = loudness
        self.peak = peak
        self.gatedSeconds = gatedSeconds
    }
}

extension TrackLoudness {
    /// As if its tags had it.
    public init(_ measured: MediaLoudness) {
        self.init(trackGain: MediaLoudness.reference - measured.loudness, trackPeak: measured.peak)
    }
}

/// What a file does not hold itself. Called on a decode thread; may block for milliseconds.
public protocol TrackCatalogue: Sendable {
    /// The loudness as it was measured, nil when it is not known (yet) or not needed; the files of its album, itself among
    /// them, as they are addressed in the music folders, empty when they are not known.
    func facts(of uri: String, needsLoudness: Bool) -> (loudness: TrackLoudness?, albumFiles: Set<PathKey>)
}
