// SPDX-License-Identifier: Apache-2.0

public import Audio
public import Kernel

/// Measures how loud media are as a whole (EBU R128). It exists so that the library, which wants to know, imports no C library.
public protocol LoudnessMeasuring: Sendable {
    /// For one media, on one thread; nil when this format cannot be measured. Throws when the machine has nothing to measure with.
    func measurement(of format: AudioFormat) throws(MissingLibrary) -> (any LoudnessMeasurement)?
}

public protocol LoudnessMeasurement: AnyObject {
    /// Interleaved, finite; whole frames.
    func add(_ samples: UnsafeBufferPointer<Float>)
    /// Of all that was added; nil when nothing of it was loud enough to count.
    var result: MediaLoudness? { get }
}

public struct MediaLoudness: Hashable, Sendable {
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

/// What a file does not hold itself. Called on a decode thread; may block for milliseconds.
public protocol TrackCatalogue: Sendable {
    /// As it was measured; nil when it is not known (yet).
    func loudness(of uri: String) -> TrackLoudness?
    /// The files of its album, itself among them, as they are addressed in the music folders; empty when it is not known.
    func albumFiles(of uri: String) -> Set<String>
}
