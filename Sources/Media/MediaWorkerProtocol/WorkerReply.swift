// SPDX-License-Identifier: Apache-2.0

/// The worker's messages: `ready` once, then one reply to each request, preceded by any number of `read`.
public enum WorkerReply: Hashable, Sendable {
    /// The worker is in its sandbox and has not read any untrusted byte yet.
    case ready
    /// Requests up to `count` bytes of the source from `offset` on.
    case read(offset: Int64, count: Int)
    case opened(WorkerMedia)
    /// Frames are in shared memory.
    case decoded(WorkerProgress)
    /// The next frame to be decoded.
    case sought(frame: Int64)
    case picture([UInt8])
    /// A JPEG picture. `time`: of the video frame.
    case image(time: Double, bytes: [UInt8])
    case failed(WorkerFailure)

    static func carriesPicture(_ kind: UInt8) -> Bool { kind == 6 || kind == 8 }

    public func message() -> [UInt8] {
        switch self {
        case .ready: FrameHead.message(1) { _ in }
        case .read(let offset, let count):
            FrameHead.message(2) { body in
                body.put(offset)
                body.put(UInt32(count))
            }
        case .opened(let media): FrameHead.message(3) { $0.put(media) }
        case .decoded(let progress): FrameHead.message(4) { $0.put(progress) }
        case .sought(let frame): FrameHead.message(5) { $0.put(frame) }
        case .picture(let bytes): FrameHead.message(6) { $0.put(bytes) }
        case .image(let time, let bytes):
            FrameHead.message(8) { body in
                body.put(time)
                body.put(bytes)
            }
        case .failed(let failure):
            FrameHead.message(9) { body in
                body.put(failure.code.rawValue)
                body.put(failure.message)
            }
        }
    }

    public init(kind: UInt8, body: [UInt8]) throws(WireError) {
        var reader = WireReader(body)
        switch kind {
        case 1: self = .ready
        case 2:
            let offset = try reader.integer(Int64.self)
            let count = Int(try reader.integer(UInt32.self))
            guard WorkerMedia.lengths.contains(offset), (1...SharedMemory.inputCapacity).contains(count) else {
                throw WireError(problem: "it requests an invalid range of bytes")
            }
            self = .read(offset: offset, count: count)
        case 3: self = .opened(try reader.media())
        case 4: self = .decoded(try reader.progress())
        case 5: self = .sought(frame: try reader.number(in: WorkerMedia.lengths, "a place"))
        case 6: self = .picture(try reader.block())
        case 8: self = .image(time: try reader.seconds(), bytes: try reader.block())
        case 9:
            guard let code = WorkerFailure.Code(rawValue: try reader.integer()) else {
                throw WireError(problem: "unknown failure")
            }
            self = .failed(WorkerFailure(code, try reader.text(atMost: WorkerMedia.longestText)))
        default: throw WireError(problem: "unknown reply \(kind)")
        }
        try reader.end()
    }
}

/// The worker cannot fulfil a request. It accepts further requests.
public struct WorkerFailure: Error, Hashable, Sendable {
    /// Cases by the server's reaction: report it; report it; report the source's error; return nothing.
    public enum Code: UInt8, Sendable {
        /// Unsupported format or codec, or no audio track.
        case unsupported = 1
        /// Recognised, but without audio.
        case empty = 2
        /// Reading the source failed.
        case source = 3
        /// Beyond the end.
        case outOfRange = 4
    }

    public var code: Code
    /// The reason in a sentence: “a.flac cannot be played: ...”.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
