// SPDX-License-Identifier: Apache-2.0

/// What goes before each message on the socket: its kind and the length of its body.
public struct FrameHead: Hashable, Sendable {
    public static let size = 8
    /// Bytes of a body.
    public static let limit = 1 << 20
    /// Of one that carries a picture.
    public static let pictureLimit = 17 << 20

    public var kind: UInt8
    public var length: Int

    /// Throws for lengths beyond the limit of the kind, before anything is allocated for them.
    public init(_ bytes: some Collection<UInt8>) throws(WireError) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size, bytes[5...7].allSatisfy({ $0 == 0 }) else {
            throw WireError(problem: "the head of a message is malformed")
        }
        kind = bytes[4]
        length = bytes[0..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= (WorkerReply.carriesPicture(kind) ? Self.pictureLimit : Self.limit) else {
            throw WireError(problem: "a message of \(length) bytes is too long")
        }
    }

    static func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.put(UInt32(body.count))
        writer.put(kind)
        return writer.bytes + [0, 0, 0] + body
    }
}
