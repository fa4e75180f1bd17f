// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Makes sample-rate converters. Owned here so that the player does not depend on a resampling library.
public protocol SampleRateConversion: Sendable {
    /// Rates in Hz; throws `MediaError.unsupported` for rates that the library cannot do.
    func converter(from input: Double, to output: Double, channelCount: Int) throws(MediaError) -> any FrameConverter
}

/// Streams interleaved float32 frames and gives another number of them, as a resampler or a time stretcher does. Lives on
/// one decode thread.
public protocol FrameConverter: AnyObject {
    /// Frames taken from `input` and given to `output`. Call again while either is not exhausted.
    func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
        taken: Int, given: Int
    )

    /// After the last input: the frames still inside; 0 when there are no more.
    func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int

    /// Forgets the past, as after a seek.
    func reset()
}

/// Makes time stretchers. Owned here so that the player does not depend on a stretching library.
public protocol TimeStretching: Sendable {
    /// Loads the library unless it is loaded, which may block on the disk. Throws `MediaError.unsupported` when it is
    /// missing: the text names the package to install.
    func load() throws(MediaError)

    /// `rate`: media seconds per second, 0.25...4; n input frames give round(n / rate) in all, and one at least.
    /// `cents`: -1200...1200. Throws `MediaError.unsupported` for formats that the library cannot do.
    func stretcher(for format: AudioFormat, rate: Double, cents: Double) throws(MediaError) -> any FrameConverter
}

/// For a player that plays all media as they are.
public struct NoStretching: TimeStretching {
    private static let refusal = MediaError(.unsupported, "This player cannot change speed or pitch.")

    public init() {}

    public func load() throws(MediaError) { throw Self.refusal }

    public func stretcher(
        for format: AudioFormat, rate: Double, cents: Double
    ) throws(MediaError) -> any FrameConverter {
        throw Self.refusal
    }
}
