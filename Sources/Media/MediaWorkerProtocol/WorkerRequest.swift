// SPDX-License-Identifier: Apache-2.0

/// The server's messages. The worker sends one reply to each request except `bytes`. Before the reply, it may send any number of `read`,
/// each of which the server answers with `bytes`.
public enum WorkerRequest: Hashable, Sendable {
    /// Opens the audio of a source up to its first frame: `opened`.
    case open(WorkerSource)
    /// Decodes up to `frames` frames into the shared memory: `decoded`.
    case decode(frames: Int)
    /// Seeks to exactly this frame: `sought`.
    case seek(frame: Int64)
    /// The picture in the tags of the open media: `picture`.
    case picture
    /// Number of source bytes in shared memory; 0 at the end, nil if reading failed.
    case bytes(Int?)
    /// The video frame at or before `time` seconds, no edge longer than `edge`: `image`.
    case thumbnail(WorkerSource, time: Double, edge: Int)
    /// Scales the picture in the source so that no edge is longer than `edge`: `image`.
    case scale(WorkerSource, edge: Int)

    public func message() -> [UInt8] {
        switch self {
        case .open(let source): FrameHead.message(1) { $0.put(source) }
        case .decode(let frames): FrameHead.message(2) { $0.put(UInt32(frames)) }
        case .seek(let frame): FrameHead.message(3) { $0.put(frame) }
        case .picture: FrameHead.message(4) { _ in }
        case .bytes(let count): FrameHead.message(6) { body in body.put(count) { $0.put(UInt32($1)) } }
        case .thumbnail(let source, let time, let edge):
            FrameHead.message(7) { body in
                body.put(source)
                body.put(time)
                body.put(UInt32(edge))
            }
        case .scale(let source, let edge):
            FrameHead.message(8) { body in
                body.put(source)
                body.put(UInt32(edge))
            }
        }
    }

    public init(kind: UInt8, body: [UInt8]) throws(WireError) {
        var reader = WireReader(body)
        switch kind {
        case 1: self = .open(try reader.source())
        case 2: self = .decode(frames: Int(try reader.integer(UInt32.self)))
        case 3: self = .seek(frame: try reader.integer())
        case 4: self = .picture
        case 6: self = .bytes(try reader.flag() ? Int(try reader.integer(UInt32.self)) : nil)
        case 7:
            self = .thumbnail(
                try reader.source(), time: try reader.number(), edge: Int(try reader.integer(UInt32.self)))
        case 8: self = .scale(try reader.source(), edge: Int(try reader.integer(UInt32.self)))
        default: throw WireError(problem: "unknown request \(kind)")
        }
        try reader.end()
    }
}

/// The source as the worker knows it, without its name.
public struct WorkerSource: Hashable, Sendable {
    public var size: Int64?
    public var isSeekable: Bool
    /// Random access is cheap.
    public var isLocal: Bool
    /// Only the headers are needed; nothing will be decoded.
    public var isOutline: Bool

    public init(size: Int64?, isSeekable: Bool, isLocal: Bool, isOutline: Bool = false) {
        self.size = size
        self.isSeekable = isSeekable
        self.isLocal = isLocal
        self.isOutline = isOutline
    }
}

extension WireWriter {
    fileprivate mutating func put(_ source: WorkerSource) {
        put(source.size) { $0.put($1) }
        put(source.isSeekable)
        put(source.isLocal)
        put(source.isOutline)
    }
}

extension WireReader {
    fileprivate mutating func source() throws(WireError) -> WorkerSource {
        WorkerSource(
            size: try flag() ? try integer(Int64.self) : nil, isSeekable: try flag(), isLocal: try flag(),
            isOutline: try flag())
    }
}
