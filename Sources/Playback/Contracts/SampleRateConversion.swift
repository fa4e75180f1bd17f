// SPDX-License-Identifier: Apache-2.0

public import Audio

/// Creates sample-rate converters. Declared here so that the player does not depend on a resampling library.
public protocol SampleRateConversion: Sendable {
    /// Rates in Hz. Throws `MediaError.unsupported` for rates that the library does not support.
    func converter(from input: Double, to output: Double, channelCount: Int) throws(MediaError) -> any FrameConverter
}

/// A resampler or time stretcher for interleaved float32 frames. Used on one decode thread.
public protocol FrameConverter: AnyObject {
    /// Returns the frames read from `input` and written to `output`. Call it again until `input` is consumed.
    func convert(_ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>) -> (
        taken: Int, given: Int
    )

    /// After the last input: writes the remaining frames; returns 0 when there are no more.
    func finish(into output: UnsafeMutableBufferPointer<Float>) -> Int

    /// Resets the state, for example after a seek.
    func reset()
}

/// Creates time stretchers. Declared here so that the player does not depend on a stretching library.
public protocol TimeStretching: Sendable {
    /// Loads the library, which may block on the disk. `MediaError.unsupported` names the package to install.
    func load() throws(MediaError)

    /// `rate`: media seconds per second, 0.25...4; n input frames give round(n / rate) frames in total, at least one.
    /// `cents`: -1200...1200. Throws `MediaError.unsupported` for formats that the library does not support.
    func stretcher(for format: AudioFormat, rate: Double, cents: Double) throws(MediaError) -> any FrameConverter
}
