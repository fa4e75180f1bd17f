// SPDX-License-Identifier: Apache-2.0

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
