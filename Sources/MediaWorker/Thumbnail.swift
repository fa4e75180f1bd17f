// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import MediaWorkerProtocol

/// A frame of a video as a picture.
enum Thumbnail {
    static func image(
        _ bytes: any SourceBytes, _ source: WorkerSource, time: Double, edge: Int
    ) throws(WorkerFailure) -> WorkerReply {
        throw WorkerFailure(.unsupported, "")
    }
}
enum PictureScaling {
    static func image(_ bytes: any SourceBytes, _ source: WorkerSource, edge: Int) throws(WorkerFailure) -> WorkerReply
    {
        throw WorkerFailure(.unsupported, "")
    }
}
