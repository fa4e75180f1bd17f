// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Appends JSON text to a byte buffer, in the order of the calls.
///
/// Not `JSONEncoder`, because answers and events are the hot path: members keep their order, unknown values are an
/// explicit null, and encoded JSON (a cached snapshot) is inserted unparsed.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma must precede the next value or member.
    private var needsComma = false

    init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    static func object(capacity: Int = 512, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.object(members)
        return writer.bytes
    }

    // MARK: Containers

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ each: (inout JSONWriter, Element) -> Void) {
        open(UInt8(ascii: "["))
        for element in elements { each(&self, element) }
        close(UInt8(ascii: "]"))
    }

    // MARK: Members

    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        key(name)
        value(flag)
    }

    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        key(name)
        value(number)
    }

    /// Rounded to a millionth (seconds to the microsecond); null for nil and for non-finite numbers.
    mutating func member(_ name: StaticString, _ number: Double?) {
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    /// null for nil.
    mutating func member<Value>(
        _ name: StaticString, _ optional: Value?, object members: (inout JSONWriter, Value) -> Void
    ) {
        key(name)
        guard let optional else { return null() }
        object { members(&$0, optional) }
    }

    mutating func member<Element>(
        _ name: StaticString, array elements: some Sequence<Element>, _ each: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, each)
    }

    /// A list of objects.
    mutating func member<Element>(
        _ name: StaticString, objects elements: some Sequence<Element>, _ each: (inout JSONWriter, Element) -> Void
    ) {
        member(name, array: elements) { writer, element in writer.object { each(&$0, element) } }
    }

    mutating func member(_ name: StaticString, texts: some Sequence<String>) {
        member(name, array: texts) { $0.value($1) }
    }

    /// `raw` must contain one JSON value.
    mutating func member(_ name: StaticString, raw: [UInt8]) {
        key(name)
        value(raw: raw)
    }

    // MARK: Values

    mutating func value(_ text: String?) {
        guard let text else { return null() }
        comma()
        quote(text)
    }

    mutating func value(_ flag: Bool?) {
        guard let flag else { return null() }
        comma()
        ascii(flag ? "true" : "false")
    }

    mutating func value(_ number: (some BinaryInteger)?) {
        guard let number else { return null() }
        comma()
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func value(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        comma()
        let rounded = abs(number) < 1e9 ? (number * 1e6).rounded() / 1e6 : number
        if rounded == rounded.rounded(), abs(rounded) < 1e15 {
            bytes.append(contentsOf: String(Int64(clamping: rounded)).utf8)
        } else {
            bytes.append(contentsOf: rounded.description.utf8)
        }
    }

    mutating func value(raw: [UInt8]) {
        comma()
        bytes.append(contentsOf: raw)
    }

    mutating func null() {
        comma()
        ascii("null")
    }

    /// Starts a member whose value follows.
    mutating func key(_ name: String) {
        comma()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func key(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        ascii(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func ascii(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// RFC 8259 section 7: only the quotation mark, the backslash and control characters must be escaped.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: ascii("\\n")
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                ascii("\\u00")
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
