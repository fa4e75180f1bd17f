// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel
public import Playback

/// Measures the integrated loudness of media (EBU R128). The protocol decouples the music library from the C library.
public protocol LoudnessMeasuring: Sendable {
    /// A measurement for one track, for one thread; nil if the format is not supported. Throws if the library is missing.
    func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)?
}

extension LoudnessMeasuring {
    /// Decodes up to three hours of a track, or up to a change of its format; nil if nothing is above the gates, or once
    /// `mustEnd` returns true. Blocks.
    public func loudness(
        of decoder: any AudioDecoder, mustEnd: () -> Bool
    ) throws(MissingLibrary) -> MediaLoudness? {
        let format = decoder.media.format
        guard let measurement = try measurement(of: format) else { return nil }
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 65_536)
        defer { samples.deallocate() }
        var left = format.frames(3 * 3_600)
        do throws(MediaError) {
            while left > 0, decoder.media.format == format {
                if mustEnd() { return nil }
                let decoded = try decoder.decode(into: samples)
                let count = decoded.frames * format.channelCount
                for index in 0..<count where !samples[index].isFinite { samples[index] = 0 }
                measurement.add(UnsafeBufferPointer(rebasing: samples[..<count]))
                left -= FrameCount(decoded.frames)
                if decoded.endOfStream { break }
            }
        } catch {
            // Use the measurement up to the damage.
        }
        return measurement.result
    }
}

public protocol LoudnessMeasurement: AnyObject {
    /// Interleaved finite samples, in whole frames.
    func add(_ samples: UnsafeBufferPointer<Float>)
    /// The result so far; nil if nothing was above the gates.
    var result: MediaLoudness? { get }
}

public struct MediaLoudness: Hashable, Sendable {
    /// LUFS at which the gain is 0 dB, as in ReplayGain 2.0.
    public static let reference = -18.0

    /// LUFS, integrated.
    public var loudness: Double
    /// The largest sample, linear.
    public var peak: Double
    /// Seconds above both gates (BS.1770-4).
    public var gatedSeconds: Double

    public init(loudness: Double, peak: Double, gatedSeconds: Double) {
        self.loudness = loudness
        self.peak = peak
        self.gatedSeconds = gatedSeconds
    }
}

extension TrackLoudness {
    /// The measured values in the form of tags.
    public init(_ measured: MediaLoudness) {
        self.init(trackGain: MediaLoudness.reference - measured.loudness, trackPeak: measured.peak)
    }
}

/// Facts about a file from the library. Called on a decode thread; may block for milliseconds.
public protocol TrackCatalogue: Sendable {
    /// `loudness`: as measured; nil if unknown or not needed. `albumFiles`: the uris of all files of its album, including this one;
    /// empty if unknown.
    func facts(of uri: String, needsLoudness: Bool) -> (loudness: TrackLoudness?, albumFiles: Set<PathKey>)
}
