// SPDX-License-Identifier: Apache-2.0

/// Builds the body of a message: integers little-endian, texts and lists behind their length.
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
