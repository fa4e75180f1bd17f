// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// A reference to a message, for reading and writing. Bus thread only.
final class BusMessage {
    let pointer: OpaquePointer
    private let library: BusLibrary
    private var bus: csystemd_bus { library.functions.pointee }

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer, _ library: BusLibrary) {
        self.pointer = pointer
        self.library = library
    }

    /// Adds a reference.
    init(sharing pointer: OpaquePointer, _ library: BusLibrary) {
        self.pointer = pointer
        self.library = library
        _ = bus.message_ref(pointer)
    }

    deinit { _ = bus.message_unref(pointer) }

    var interface: String { bus.message_get_interface(pointer).map { String(cString: $0) } ?? "" }
    var member: String { bus.message_get_member(pointer).map { String(cString: $0) } ?? "" }
    var signature: String { bus.message_get_signature(pointer, 1).map { String(cString: $0) } ?? "" }
    var path: String { bus.message_get_path(pointer).map { String(cString: $0) } ?? "" }
    var isError: Bool { bus.message_is_method_error(pointer, nil) > 0 }
    var isCall: Bool { bus.message_is_method_call(pointer, nil, nil) > 0 }
    var wantsReply: Bool { bus.message_get_expect_reply(pointer) > 0 }

    // MARK: Reading

    /// Reads the values of a message with the signature `types`; each is a basic type, `ao`, `v` or `a{sv}`.
    func values(_ types: [String]) throws(BusFailure) -> [BusValue] {
        var values: [BusValue] = []
        for type in types { values.append(try value(type)) }
        return values
    }

    private func value(_ type: String) throws(BusFailure) -> BusValue {
        switch type {
        case "s": return .text(try text("s"))
        case "o": return .path(try text("o"))
        case "i": return .int32(try basic("i", 0))
        case "u": return .uint32(try basic("u", 0))
        case "x": return .int64(try basic("x", 0))
        case "h": return .descriptor(try basic("h", -1))
        case "d": return .double(try basic("d", 0))
        case "b": return .flag(try basic("b", Int32(0)) != 0)
        case "ao": return .paths(try array("o") { () throws(BusFailure) in try nextText("o") })
        case "v": return try variant()
        case "a{sv}": return .dictionary(try dictionary())
        default: throw BusFailure(call: "value of type \(type)", code: -22)
        }
    }

    /// `unset` is returned after the last element of an array.
    private func basic<Value>(_ type: Character, _ unset: Value) throws(BusFailure) -> Value {
        var value = unset
        let code = withUnsafeMutablePointer(to: &value) {
            bus.message_read_basic(pointer, Self.character(type), $0)
        }
        try BusFailure.check(code, "sd_bus_message_read_basic")
        return value
    }

    private func text(_ type: Character) throws(BusFailure) -> String { try nextText(type) ?? "" }

    /// nil after the last element of an array.
    private func nextText(_ type: Character) throws(BusFailure) -> String? {
        try basic(type, UnsafePointer<CChar>?.none).map { String(cString: $0) }
    }

    /// Reads an array of structures whose members have the types `types`.
    func structures(of types: [String]) throws(BusFailure) -> [[BusValue]] {
        let contents = types.joined()
        return try array("(\(contents))") { () throws(BusFailure) in
            try inside("r", contents) { () throws(BusFailure) in try values(types) }
        }
    }

    private func dictionary() throws(BusFailure) -> [String: BusValue] {
        let entries = try array("{sv}") { () throws(BusFailure) in
            try inside("e", "sv") { () throws(BusFailure) in (try text("s"), try variant()) }
        }
        return Dictionary(entries) { $1 }
    }

    /// `next` returns nil after the last element.
    private func array<Element>(
        _ contents: String, _ next: () throws(BusFailure) -> Element?
    ) throws(BusFailure) -> [Element] {
        try inside("a", contents) { () throws(BusFailure) in
            var all: [Element] = []
            while let element = try next() { all.append(element) }
            return all
        } ?? []
    }

    /// nil at the end of the enclosing container.
    private func inside<Value>(
        _ type: Character, _ contents: String, _ read: () throws(BusFailure) -> Value
    ) throws(BusFailure) -> Value? {
        let code = bus.message_enter_container(pointer, Self.character(type), contents)
        guard try BusFailure.check(code, "enter_container") > 0 else { return nil }
        let value = try read()
        try BusFailure.check(bus.message_exit_container(pointer), "exit_container")
        return value
    }

    private func variant() throws(BusFailure) -> BusValue {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        try BusFailure.check(bus.message_peek_type(pointer, &kind, &contents), "sd_bus_message_peek_type")
        let type = contents.map { String(cString: $0) } ?? ""
        guard ["s", "o", "u", "x", "d", "b"].contains(type) else {
            try BusFailure.check(bus.message_skip(pointer, "v"), "sd_bus_message_skip")
            return .other(signature: type)
        }
        return try inside("v", type) { () throws(BusFailure) in try value(type) } ?? .other(signature: type)
    }

    // MARK: Writing

    func append(_ values: [BusValue]) throws(BusFailure) {
        for value in values { try append(value) }
    }

    private func append(_ value: BusValue) throws(BusFailure) {
        switch value {
        case .text(let text): try append("s", text)
        case .path(let path): try append("o", path)
        case .uint16(let number): try append("q", number)
        case .int32(let number): try append("i", number)
        case .uint32(let number): try append("u", number)
        case .int64(let number): try append("x", number)
        case .double(let number): try append("d", number)
        case .flag(let flag): try append("b", Int32(flag ? 1 : 0))
        case .texts(let texts):
            try container("a", "s") { () throws(BusFailure) in for text in texts { try append("s", text) } }
        case .paths(let paths):
            try container("a", "o") { () throws(BusFailure) in for path in paths { try append("o", path) } }
        case .byteStrings(let strings):
            try container("a", "ay") { () throws(BusFailure) in
                for bytes in strings {
                    try container("a", "y") { () throws(BusFailure) in for byte in bytes { try append("y", byte) } }
                }
            }
        case .variant(let value):
            try container("v", value.signature) { () throws(BusFailure) in try append(value) }
        case .dictionary(let members): try append(members)
        case .dictionaries(let all):
            try container("a", "a{sv}") { () throws(BusFailure) in for members in all { try append(members) } }
        case .descriptor, .other: throw BusFailure(call: "append \(value.signature)", code: -22)
        }
    }

    private func append(_ members: [String: BusValue]) throws(BusFailure) {
        try container("a", "{sv}") { () throws(BusFailure) in
            for name in members.keys.sorted() {
                guard let value = members[name] else { continue }
                try container("e", "sv") { () throws(BusFailure) in
                    try append("s", name)
                    try append(.variant(value))
                }
            }
        }
    }

    private func container(
        _ type: Character, _ contents: String, _ body: () throws(BusFailure) -> Void
    ) throws(BusFailure) {
        try BusFailure.check(bus.message_open_container(pointer, Self.character(type), contents), "open_container")
        try body()
        try BusFailure.check(bus.message_close_container(pointer), "close_container")
    }

    /// Appends a text or a path.
    private func append(_ type: Character, _ text: String) throws(BusFailure) {
        let code = Self.carried(text).withCString { bus.message_append_basic(pointer, Self.character(type), $0) }
        try BusFailure.check(code, "sd_bus_message_append_basic")
    }

    private func append<Number: Numeric>(_ type: Character, _ number: Number) throws(BusFailure) {
        let code = withUnsafePointer(to: number) { bus.message_append_basic(pointer, Self.character(type), $0) }
        try BusFailure.check(code, "sd_bus_message_append_basic")
    }

    /// Replaces the characters that a message cannot carry: sd-bus rejects noncharacters (Unicode section 23.7), and NUL would
    /// end the text.
    static func carried(_ text: String) -> String {
        func isRefused(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value == 0 || scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isRefused) else { return text }
        var carried = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { carried.append(isRefused(scalar) ? "\u{FFFD}" : scalar) }
        return String(carried)
    }

    private static func character(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }
}
