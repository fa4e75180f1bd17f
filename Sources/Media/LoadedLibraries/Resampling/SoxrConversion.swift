// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Sample-rate conversion by libsoxr, quality HQ (20 bit; stop band from the Nyquist frequency on).
public struct SoxrConversion: SampleRateConversion {
    public init() {}

    public func converter(
        from input: Double, to output: Double, channelCount: Int
    ) throws(MediaError) -> any FrameConverter {
        try SoxrConverter(from: input, to: output, channelCount: channelCount)
    }
}
