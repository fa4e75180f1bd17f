// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

/// Where a frame of samples belongs by its time, and which time to ask the demuxer for.
struct Places {
    /// In frames on the stream's own clock: where the first audible one stands.
    let origin: Int64
    /// Of the first audible frame, in seconds on the container's clock; nil without one.
    let start: Double?
    /// Times of the container are too coarse to identify a frame.
    let isCoarse: Bool

    private let timeBase: AVRational
    private let rate: Int64
    private let first: Int64
    private let firstCount: Int64
    private let frameSize: Int64
    private let prerollSeconds: Double
    private let codec: String
    private let format: String

    /// Frames of one size: a coarse time is enough to identify it.
    private static let evenCodecs: Set = ["aac", "alac", "flac", "mp2", "mp3", "opus", "tta"]
    /// Up to here the samples before a place are decoded and dropped where nothing else is exact.
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
        origin = av_rescale_q(known, timeBase, AVRational(num: 1, den: Int32(clamping: rate)))
        first = decoder.firstTime.map { min($0, known) } ?? known
        firstCount = Int64(firstFrame.pointee.nb_samples)
        frameSize = Int64(decoder.frameSize)
        isCoarse = Int64(timeBase.den) * 2 < rate * Int64(timeBase.num)
        // What a frame takes over from those before it: an overlap, a reservoir, filters.
        prerollSeconds = AllowedFormats.isLossless(codec) ? 0 : codec.hasPrefix("wma") ? 1 : 0.35
    }

    /// nil when the frame has no time.
    func position(of frame: UnsafeMutablePointer<AVFrame>) -> Int64? {
        let time = frame.pointee.pts == cffmpeg_no_timestamp ? frame.pointee.best_effort_timestamp : frame.pointee.pts
        guard time != cffmpeg_no_timestamp else { return nil }
        let place = av_rescale_q(time, timeBase, AVRational(num: 1, den: Int32(clamping: rate))) - origin
        guard isCoarse, frameSize > 0 else { return place }
        if place < min(firstCount, frameSize) / 2 { return 0 }
        let steps = (Double(place - firstCount) / Double(frameSize)).rounded()
        return firstCount + Int64(clamping: steps) * frameSize
    }

    func time(of frame: Int64, secondsEarlier: Int) -> Int64 {
        let place = frame - Int64(clamping: (prerollSeconds + Double(secondsEarlier)) * Double(rate)) + origin
        let time = av_rescale_q_rnd(place, AVRational(num: 1, den: Int32(clamping: rate)), timeBase, AV_ROUND_DOWN)
        return max(first, time)
    }

    /// Whether going back that far still is another place than the beginning.
    func isInside(_ frame: Int64, secondsEarlier: Int) -> Bool {
        secondsEarlier == 0 || frame > Int64(secondsEarlier - 2) * rate
    }

    /// The first pages of Ogg have other times after a jump than at the beginning.
    func beginsAnew(_ frame: Int64) -> Bool {
        format == "ogg" && Double(frame) <= prerollSeconds * Double(rate)
    }

    /// Once its demuxer has read the last page, which is at most 8 s long, it times packets by how that one was cut.
    func changeBehind(_ frame: Int64, duration: Int64?) -> Bool {
        format == "ogg" && codec == "vorbis" && frame + 8 * rate >= duration ?? 0
    }

    /// Neither times nor an index lead to the exact frame.
    func mustCountFromStart(_ frame: Int64, _ source: WorkerSource) -> Bool {
        // Pages of Ogg FLAC have the time of their last frame only, and frames differ in length at the end.
        let isVague =
            codec.hasPrefix("wma") || (format == "ogg" && (codec == "flac" || codec == "speex"))
            // Where their frames lie is guessed by the bit rate.
            || (format != "aac" && AllowedFormats.rawDemuxers.contains(format))
            || (isCoarse && (!Self.evenCodecs.contains(codec) || frameSize == 0))
        return isVague && source.isLocal && frame < Self.longestCount * rate
    }
}
