// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

/// Converts between timestamps and frame positions, and chooses how to seek.
struct Places {
    /// Time of the first audible frame on the stream's clock, in frames.
    let origin: Int64
    /// Time of the first audible frame on the container's clock, in seconds; nil without one.
    let start: Double?
    /// The container's timestamps are too coarse to identify a frame.
    let isCoarse: Bool

    private let timeBase: AVRational
    private let rate: Int64
    /// The time base of frames.
    private let second: AVRational
    private let first: Int64
    private let firstCount: Int64
    private let frameSize: Int64
    private let prerollSeconds: Double
    private let codec: String
    private let format: String

    /// Codecs with a fixed block size: a coarse timestamp identifies the block.
    private static let evenCodecs: Set = ["aac", "alac", "flac", "mp2", "mp3", "opus", "tta"]
    /// Seconds up to which a seek decodes from the start if nothing else is exact.
    private static let longestCount: Int64 = 1_800

    init(_ decoder: TrackDecoder, firstFrame: UnsafeMutablePointer<AVFrame>, format: AudioFormat, container: Container)
    {
        timeBase = decoder.stream.pointee.time_base
        rate = Int64(format.sampleRate)
        self.format = container.format
        codec = AllowedFormats.name(decoder.stream.pointee.codecpar.pointee.codec_id)
        let time = firstFrame.pointee.pts
        let known = time == cffmpeg_no_timestamp ? 0 : time
        start = time == cffmpeg_no_timestamp ? nil : Double(time) * Double(timeBase.num) / Double(timeBase.den)
        second = AVRational(num: 1, den: Int32(clamping: rate))
        origin = av_rescale_q(known, timeBase, second)
        first = decoder.firstTime.map { min($0, known) } ?? known
        firstCount = Int64(firstFrame.pointee.nb_samples)
        frameSize = Int64(decoder.frameSize)
        isCoarse = Int64(timeBase.den) * 2 < rate * Int64(timeBase.num)
        // A frame may depend on those before it: overlap, bit reservoir, filters.
        prerollSeconds = AllowedFormats.isLossless(codec) ? 0 : codec.hasPrefix("wma") ? 1 : 0.35
    }

    /// nil if the frame has no timestamp.
    func position(of frame: UnsafeMutablePointer<AVFrame>) -> Int64? {
        let time = frame.pointee.pts == cffmpeg_no_timestamp ? frame.pointee.best_effort_timestamp : frame.pointee.pts
        guard time != cffmpeg_no_timestamp else { return nil }
        let place = av_rescale_q(time, timeBase, second) - origin
        guard isCoarse, frameSize > 0 else { return place }
        if place < min(firstCount, frameSize) / 2 { return 0 }
        let steps = (Double(place - firstCount) / Double(frameSize)).rounded()
        return firstCount + Int64(clamping: steps) * frameSize
    }

    func time(of frame: Int64, secondsEarlier: Int) -> Int64 {
        let place = frame - Int64(clamping: (prerollSeconds + Double(secondsEarlier)) * Double(rate)) + origin
        let time = av_rescale_q_rnd(place, second, timeBase, AV_ROUND_DOWN)
        return max(first, time)
    }

    /// Whether going back that far differs from starting at the beginning.
    func isInside(_ frame: Int64, secondsEarlier: Int) -> Bool {
        secondsEarlier == 0 || frame > Int64(secondsEarlier - 2) * rate
    }

    /// Near the start of Ogg, seek by reopening: timestamps of the first pages differ after a seek.
    func beginsAnew(_ frame: Int64) -> Bool {
        format == "ogg" && Double(frame) <= prerollSeconds * Double(rate)
    }

    /// Ogg Vorbis: once the demuxer has read the last page, which covers up to 8 s, its timestamps are shifted by that page's end trim.
    func changeBehind(_ frame: Int64, duration: Int64?) -> Bool {
        format == "ogg" && codec == "vorbis" && frame + 8 * rate >= duration ?? 0
    }

    /// Neither timestamps nor an index give the exact frame.
    func mustCountFromStart(_ frame: Int64, _ source: WorkerSource) -> Bool {
        // Pages of Ogg FLAC only have the timestamp of their last frame, and the last frames differ in length.
        let isVague =
            codec.hasPrefix("wma") || (format == "ogg" && (codec == "flac" || codec == "speex"))
            // The demuxer estimates offsets by the bit rate.
            || (format != "aac" && AllowedFormats.rawDemuxers.contains(format))
            || (isCoarse && (!Self.evenCodecs.contains(codec) || frameSize == 0))
        return isVague && source.isLocal && frame < Self.longestCount * rate
    }
}
