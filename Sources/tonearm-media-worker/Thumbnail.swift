// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import MediaWorkerProtocol
internal import Kernel

/// Makes a picture of a video frame.
enum Thumbnail {
    /// Timeout in seconds. There may be hundreds of frames between two key frames of a large video.
    private static let patience = 8.0

    /// The frame displayed at `time`, with its own time.
    static func image(
        _ bytes: any SourceBytes, _ source: WorkerSource, time: Double, edge: Int
    ) throws(WorkerFailure) -> WorkerReply {
        let container = try Container(bytes, source)
        let track = try container.videoTrack()
        container.keepOnly(track)
        let base = av_q2d(track.pointee.time_base)
        let start = track.pointee.start_time == cffmpeg_no_timestamp ? 0 : Double(track.pointee.start_time) * base
        if let length = container.seconds(of: track), time > length {
            throw WorkerFailure(.outOfRange, "it ends at \(length) s")
        }
        let decoder = try TrackDecoder(container, track, of: AllowedFormats.video)
        let wanted = Int64(clamping: ((time + start) / base).rounded(.down))
        if time > 0, source.isSeekable {
            // If the seek fails, decode from the start.
            avformat_seek_file(container.context, track.pointee.index, .min, wanted, wanted, 0)
        }
        let budget = WorkBudget(seconds: patience)
        guard let kept = av_frame_alloc() else { throw .outOfMemory }
        defer { release(kept, av_frame_free) }
        var shown: Double?
        while case .frame = try decoder.next(within: budget) {
            let stamp = decoder.frame.pointee.best_effort_timestamp
            let moment = stamp == cffmpeg_no_timestamp ? shown ?? 0 : Double(stamp) * base - start
            // Tolerate half a tick, as `time` is a rounded decimal fraction.
            if shown != nil, moment > time + base / 2 { break }
            av_frame_unref(kept)
            av_frame_move_ref(kept, decoder.frame)
            shown = moment
            if moment >= time { break }
        }
        guard let shown else {
            if budget.isSpent { throw WorkerFailure(.unsupported, "no picture could be decoded in time") }
            throw WorkerFailure(.empty, "no picture could be decoded")
        }
        return .image(time: max(0, shown), bytes: try ScaledPicture.jpeg(kept, edge: edge))
    }
}

extension Container {
    fileprivate func videoTrack() throws(WorkerFailure) -> UnsafeMutablePointer<AVStream> {
        let tracks = streams.filter {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                && $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        }
        guard let first = tracks.first else { throw WorkerFailure(.unsupported, "there is no video in it") }
        let decodable = tracks.first {
            AllowedFormats.decoder($0.pointee.codecpar.pointee.codec_id, of: AllowedFormats.video) != nil
        }
        guard let decodable else {
            let codec = AllowedFormats.name(first.pointee.codecpar.pointee.codec_id)
            throw WorkerFailure(.unsupported, "its video codec \(codec) is not supported")
        }
        return decodable
    }

    fileprivate func seconds(of stream: UnsafeMutablePointer<AVStream>) -> Double? {
        if stream.pointee.duration != cffmpeg_no_timestamp, stream.pointee.duration > 0 {
            return Double(stream.pointee.duration) * av_q2d(stream.pointee.time_base)
        }
        let length = context.pointee.duration
        return length != cffmpeg_no_timestamp && length > 0 ? Double(length) / 1e6 : nil
    }
}
