// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import MediaWorkerProtocol

/// Serves the server's requests, one after another, until the server closes the socket.
struct WorkerService {
    private let link: ServerLink
    private var reader: MediaReader?

    /// nil if the process was not started as a worker.
    init?() {
        guard let link = ServerLink() else { return nil }
        self.link = link
        // FFmpeg's messages would quote the media, and nobody reads them.
        av_log_set_level(AV_LOG_QUIET)
    }

    /// Call within the sandbox.
    mutating func run() -> Never {
        link.send(.ready)
        while true {
            let request = link.receive()
            do throws(WorkerFailure) {
                link.send(try answer(request))
            } catch {
                link.send(.failed(error))
            }
        }
    }

    private mutating func answer(_ request: WorkerRequest) throws(WorkerFailure) -> WorkerReply {
        switch request {
        case .open(let source):
            reader = nil
            let opened = try MediaReader(link, source)
            reader = opened
            return .opened(opened.media.withinLimits)
        case .decode(let frames):
            let reader = try opened()
            let room = SharedMemory.sampleCapacity / 8
            return .decoded(try reader.decode(min(frames, room), into: link.samples))
        case .seek(let frame): return .sought(frame: try opened().seek(to: frame))
        case .picture:
            guard let picture = try opened().picture() else { throw WorkerFailure(.empty, "it contains no picture") }
            return .picture(picture)
        case .bytes: throw WorkerFailure(.unsupported, "unexpected bytes")
        case .thumbnail(let source, let time, let edge):
            reader = nil
            return try Thumbnail.image(link, source, time: time, edge: edge)
        case .scale(let source, let edge):
            reader = nil
            return try ScaledPicture.image(link, source, edge: edge)
        }
    }

    private func opened() throws(WorkerFailure) -> MediaReader {
        guard let reader else { throw WorkerFailure(.unsupported, "nothing is open") }
        return reader
    }
}
