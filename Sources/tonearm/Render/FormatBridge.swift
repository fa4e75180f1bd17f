// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback

/// Keeps a file in one format when the media changes its own on the way: channels are mapped, then the rate is
/// converted, as the player does. Samples that fit already pass through untouched.
struct FormatBridge {
    /// What goes on with the samples; they are valid during the call only.
    typealias Consumer = (UnsafeBufferPointer<Float>) throws -> Void

    private let target: AudioFormat
    private let conversion: any SampleRateConversion
    private var source: AudioFormat
    private var mapper: ChannelMapper
    private var converter: (any SampleRateConverter)?

    init(to target: AudioFormat, conversion: any SampleRateConversion) {
        self.target = target
        self.conversion = conversion
        source = target
        mapper = ChannelMapper(from: target.layout, to: target.layout)
    }

    mutating func convert(
        _ samples: UnsafeBufferPointer<Float>, from format: AudioFormat, _ consume: Consumer
    ) throws {
        if format != source {
            try finish(consume)
            source = format
            mapper = ChannelMapper(from: format.layout, to: target.layout)
            converter = try makeConverter(format)
        }
        guard !mapper.isIdentity, let input = samples.baseAddress else { return try resample(samples, consume) }
        let frames = samples.count / format.channelCount
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: frames * target.channelCount) { mapped in
            guard let output = mapped.baseAddress else { return }
            mapper.map(input, into: output, frames: frames)
            try resample(UnsafeBufferPointer(mapped), consume)
        }
    }

    /// What the converter still holds; the next samples begin anew.
    mutating func finish(_ consume: Consumer) throws {
        guard let converter else { return }
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: 8_192 * target.channelCount) { space in
            while true {
                let given = converter.finish(into: space)
                if given == 0 { return }
                try consume(UnsafeBufferPointer(rebasing: space[..<(given * target.channelCount)]))
            }
        }
        self.converter = nil
        source = target
        mapper = ChannelMapper(from: target.layout, to: target.layout)
    }

    private func makeConverter(_ format: AudioFormat) throws -> (any SampleRateConverter)? {
        guard format.sampleRate != target.sampleRate else { return nil }
        do throws(MediaError) {
            return try conversion.converter(
                from: format.sampleRate, to: target.sampleRate, channelCount: target.channelCount)
        } catch {
            throw Failure(error.message)
        }
    }

    private func resample(_ samples: UnsafeBufferPointer<Float>, _ consume: Consumer) throws {
        guard let converter else { return try consume(samples) }
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: 8_192 * target.channelCount) { space in
            var rest = samples
            while !rest.isEmpty {
                let (taken, given) = converter.convert(rest, into: space)
                try consume(UnsafeBufferPointer(rebasing: space[..<(given * target.channelCount)]))
                rest = UnsafeBufferPointer(rebasing: rest.dropFirst(taken * target.channelCount))
            }
        }
    }
}
