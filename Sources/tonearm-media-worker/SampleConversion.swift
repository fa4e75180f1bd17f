// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import MediaWorkerProtocol

/// Converts decoded frames to interleaved float32 of the same rate and layout, as `ffmpeg -f f32le` does.
final class SampleConversion {
    /// Of the last converted frame.
    private(set) var format: AudioFormat?
    private var resampler: OpaquePointer?
    private var sampleFormat: Int32 = -1
    private var inputChannels: Int32 = 0
    private var inputMask: UInt64 = 0
    private(set) var samples: [Float] = []

    deinit { swr_free(&resampler) }

    /// Converts into `samples`.
    func convert(_ frame: UnsafeMutablePointer<AVFrame>) throws(WorkerFailure) {
        let format = try prepare(frame)
        let frames = Int(frame.pointee.nb_samples)
        let count = frames * format.channelCount
        if samples.count < count { samples = [Float](repeating: 0, count: count) }
        let converted = samples.withUnsafeMutableBytes { buffer in
            var output = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return withUnsafeMutablePointer(to: &output) { output in
                let planes = UnsafeRawPointer(frame.pointee.extended_data)!
                    .assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
                return swr_convert(
                    resampler, output, Int32(frames), UnsafeMutablePointer(mutating: planes), Int32(frames))
            }
        }
        guard converted == Int32(frames) else { throw WorkerFailure(.unsupported, "its samples cannot be converted") }
    }

    /// Sets up the resampler for this frame. Returns the output's format.
    private func prepare(_ frame: UnsafeMutablePointer<AVFrame>) throws(WorkerFailure) -> AudioFormat {
        let layout = frame.pointee.ch_layout
        let mask = layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : 0
        let rate = Int(frame.pointee.sample_rate)
        if resampler != nil, let format, frame.pointee.format == sampleFormat, rate == format.sampleRate,
            layout.nb_channels == inputChannels, mask == inputMask
        {
            return format
        }
        guard AudioFormat.workerRates.contains(rate), layout.nb_channels > 0 else {
            throw WorkerFailure(.unsupported, "\(layout.nb_channels) channels of \(rate) Hz cannot be played")
        }
        (sampleFormat, inputChannels, inputMask) = (frame.pointee.format, layout.nb_channels, mask)
        var input = AVChannelLayout()
        var output = AVChannelLayout()
        defer {
            av_channel_layout_uninit(&input)
            av_channel_layout_uninit(&output)
        }
        if mask != 0 {
            av_channel_layout_from_mask(&input, mask)
        } else {
            av_channel_layout_default(&input, layout.nb_channels)
        }
        // Mix down more than 8 channels.
        if input.nb_channels > 8 {
            av_channel_layout_default(&output, 2)
        } else {
            av_channel_layout_copy(&output, &input)
        }
        swr_free(&resampler)
        let code = swr_alloc_set_opts2(
            &resampler, &output, AV_SAMPLE_FMT_FLT, Int32(rate), &input, AVSampleFormat(frame.pointee.format),
            Int32(rate), 0, nil)
        guard code >= 0, swr_init(resampler) >= 0 else {
            throw WorkerFailure(.unsupported, "its samples cannot be converted")
        }
        let positions = (0..<UInt32(output.nb_channels)).map {
            Self.position(av_channel_layout_channel_from_index(&output, $0))
        }
        let made = AudioFormat(
            sampleRate: rate, layout: positions == [.frontCenter] ? .mono : ChannelLayout(positions: positions))
        format = made
        return made
    }

    private static func position(_ channel: AVChannel) -> ChannelPosition {
        switch channel {
        case AV_CHAN_FRONT_LEFT: .frontLeft
        case AV_CHAN_FRONT_RIGHT: .frontRight
        case AV_CHAN_FRONT_CENTER: .frontCenter
        case AV_CHAN_LOW_FREQUENCY: .lowFrequency
        case AV_CHAN_BACK_LEFT: .rearLeft
        case AV_CHAN_BACK_RIGHT: .rearRight
        case AV_CHAN_BACK_CENTER: .rearCenter
        case AV_CHAN_SIDE_LEFT: .sideLeft
        case AV_CHAN_SIDE_RIGHT: .sideRight
        default: .auxiliary
        }
    }
}
