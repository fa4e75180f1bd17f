// SPDX-License-Identifier: Apache-2.0

/// A message violates the protocol: the other side is broken or hostile. Accept nothing more from it.
public struct WireError: Error, Hashable, Sendable {
    public var problem: String
}

/// Parses a message. Never allocates for bytes that a message only claims to contain.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ body: [UInt8]) { rest = body[...] }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(WireError) -> Value {
        let size = MemoryLayout<Value>.size
        guard rest.count >= size else { throw WireError(problem: "it ends within a number") }
        var value = Value.zero
        for (index, byte) in rest.prefix(size).enumerated() { value |= Value(truncatingIfNeeded: byte) << (8 * index) }
        rest = rest.dropFirst(size)
        return value
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try integer(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw WireError(problem: "a flag is neither 0 nor 1")
        }
    }

    /// A finite number.
    mutating func number() throws(WireError) -> Double {
        let value = Double(bitPattern: try integer())
        guard value.isFinite else { throw WireError(problem: "a number is not finite") }
        return value
    }

    mutating func block() throws(WireError) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard count <= rest.count else { throw WireError(problem: "it ends within a block") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// `limit` in bytes. Repairs invalid UTF-8.
    mutating func text(atMost limit: Int) throws(WireError) -> String {
        let bytes = try block()
        guard bytes.count <= limit else { throw WireError(problem: "a text is too long") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Up to 64 bytes of visible ASCII.
    mutating func name() throws(WireError) -> String {
        let name = try text(atMost: 64)
        guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw WireError(problem: "invalid name") }
        return name
    }

    /// A number in this range, thus a finite one; `what` names it in errors.
    mutating func number(in range: ClosedRange<Double>, _ what: String) throws(WireError) -> Double {
        let value = try number()
        guard range.contains(value) else { throw WireError(problem: "\(what) is invalid") }
        return value
    }

    /// As above, for a 64-bit integer.
    mutating func number(in range: ClosedRange<Int64>, _ what: String) throws(WireError) -> Int64 {
        let value = try integer(Int64.self)
        guard range.contains(value) else { throw WireError(problem: "\(what) is invalid") }
        return value
    }

    /// As `number(in:_:)`, for an optional value.
    mutating func optional(in range: ClosedRange<Int64>, _ what: String) throws(WireError) -> Int64? {
        try flag() ? try number(in: range, what) : nil
    }

    mutating func list<Element>(
        atMost limit: Int, _ element: (inout WireReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = Int(try integer(UInt32.self))
        guard count <= limit else { throw WireError(problem: "a list is too long") }
        var list: [Element] = []
        for _ in 0..<count { list.append(try element(&self)) }
        return list
    }

    func end() throws(WireError) {
        guard rest.isEmpty else { throw WireError(problem: "it is longer than it should be") }
    }
}

/// Builds the body of a message: little-endian integers; texts and lists preceded by their length.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func put(_ value: Double) { put(value.bitPattern) }

    mutating func put(_ text: String) { put(Array(text.utf8)) }

    mutating func put(_ block: [UInt8]) {
        put(UInt32(block.count))
        bytes += block
    }

    mutating func put<Element>(_ list: [Element], _ each: (inout WireWriter, Element) -> Void) {
        put(UInt32(list.count))
        for element in list { each(&self, element) }
    }

    mutating func put<Value>(_ value: Value?, _ some: (inout WireWriter, Value) -> Void) {
        put(value != nil)
        if let value { some(&self, value) }
    }
}

/// The head of each message on the socket: the kind and the length of the body.
public struct FrameHead: Hashable, Sendable {
    public static let size = 8
    /// Bytes of a body.
    public static let limit = 1 << 20
    /// Bytes of a body with a picture.
    public static let pictureLimit = 17 << 20

    public var kind: UInt8
    public var length: Int

    /// Throws if the length exceeds the limit of the kind, before anything is allocated.
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

    /// A whole message. `write` writes its body.
    static func message(_ kind: UInt8, _ write: (inout WireWriter) -> Void) -> [UInt8] {
        var (head, body) = (WireWriter(), WireWriter())
        write(&body)
        head.put(UInt32(body.bytes.count))
        head.put(kind)
        return head.bytes + [0, 0, 0] + body.bytes
    }
}
