// SPDX-License-Identifier: Apache-2.0

/// Scans JSON (RFC 8259) to tokens, in one pass and without creating strings. Also rejects repeated members, and values
/// beyond the limits.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private(set) var position = 0
    /// The tokens of the current value.
    var tokens: [JSONToken] = []
    /// The start of the current value, moved forward by bytes that its size limit does not cover.
    var start = 0
    private var depth = 0

    /// Up to this number of members, names are compared in pairs.
    private static let few = 16

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        // The text may begin with a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    // MARK: Values

    mutating func value() throws(JSONError) {
        let byte = try next()
        switch byte {
        case UInt8(ascii: "{"):
            var object = try openObject()
            while try nextMember(&object) { try value() }
        case UInt8(ascii: "["):
            let list = try open(.list)
            while try advance(to: UInt8(ascii: "]"), from: list) { try value() }
            close(list)
        case UInt8(ascii: "\""): try text()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try literal("true", .yes)
        case UInt8(ascii: "f"): try literal("false", .no)
        case UInt8(ascii: "n"): try literal("null", .null)
        default: throw unexpected(byte)
        }
    }

    /// State of an object during the scan of its members.
    struct OpenObject {
        let token: Int
        fileprivate var count = 0
        /// The names, if there are many.
        fileprivate var names: Set<[UInt8]> = []
    }

    /// Called at the opening bracket.
    mutating func openObject() throws(JSONError) -> OpenObject { OpenObject(token: try open(.object)) }

    /// Scans the name of the next member, which becomes the last token; its value follows. False at the end.
    mutating func nextMember(_ object: inout OpenObject) throws(JSONError) -> Bool {
        guard try advance(to: UInt8(ascii: "}"), from: object.token) else {
            close(object.token)
            return false
        }
        let byte = try next()
        guard byte == UInt8(ascii: "\"") else { throw unexpected(byte) }
        let offset = position
        try text()
        let name = tokens.count - 1
        if isRepeated(name, in: &object) {
            throw JSONError(reason: .repeatedMember(String(decoding: meaning(name), as: UTF8.self)), offset: offset)
        }
        object.count += 1
        let colon = try next()
        guard colon == UInt8(ascii: ":") else { throw unexpected(colon) }
        position += 1
        return true
    }

    /// Called at the opening bracket. `close` completes the token.
    mutating func open(_ kind: JSONToken.Kind) throws(JSONError) -> Int {
        guard depth < JSONLimits.depth else { throw error(.tooDeep) }
        depth += 1
        position += 1
        try append(JSONToken(kind: kind, bytes: position - 1..<position, next: 0))
        return tokens.count - 1
    }

    /// Called after the closing bracket.
    mutating func close(_ token: Int) {
        depth -= 1
        tokens[token].bytes = tokens[token].bytes.lowerBound..<position
        tokens[token].next = tokens.count
    }

    /// Advances to the next element or member; false after the closing bracket. `list`: its token.
    mutating func advance(to end: UInt8, from list: Int) throws(JSONError) -> Bool {
        try advance(to: end, isFirst: tokens.count == list + 1)
    }

    mutating func advance(to end: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
        let byte = try next()
        if byte == end {
            position += 1
            return false
        }
        if isFirst { return true }
        guard byte == UInt8(ascii: ",") else { throw unexpected(byte) }
        position += 1
        let following = try next()
        if following == end { throw error(.strayComma) }
        return true
    }

    /// Only white space may follow.
    mutating func end() throws(JSONError) {
        skipBlanks()
        guard position < bytes.count else { return }
        throw bytes[position] == 0 ? error(.otherEncoding) : error(.trailing)
    }

    // MARK: Bytes

    /// Peeks at the next byte that is not white space.
    mutating func next() throws(JSONError) -> UInt8 {
        skipBlanks()
        guard position < bytes.count else { throw error(.endOfText) }
        return bytes[position]
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func append(_ token: JSONToken) throws(JSONError) {
        guard position - start <= limits.bytes else { throw error(.tooManyBytes(limits.bytes)) }
        guard tokens.count < limits.tokens else { throw error(.tooManyTokens(limits.tokens)) }
        tokens.append(token)
    }

    private mutating func scalar(_ kind: JSONToken.Kind, from start: Int) throws(JSONError) {
        try append(JSONToken(kind: kind, bytes: start..<position, next: tokens.count + 1))
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
        let start = position
        for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
            guard position < bytes.count else { throw error(.endOfText) }
            guard bytes[position] == byte else { throw unexpected(bytes[position]) }
            position += 1
        }
        try scalar(kind, from: start)
    }

    private mutating func number() throws(JSONError) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let leading = position
        try digits()
        if bytes[leading] == UInt8(ascii: "0"), position - leading > 1 { throw error(.number) }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits()
        }
        try scalar(.number, from: start)
    }

    /// Scans one or more digits.
    private mutating func digits() throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        if position == start { throw error(.number) }
    }

    /// Called at the opening quotation mark.
    private mutating func text() throws(JSONError) {
        position += 1
        let start = position
        var hasEscapes = false
        var isASCII = true
        while true {
            guard position < bytes.count else { throw error(.endOfText) }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                let escape = position
                guard JSONEscape.scalar(bytes, &position, end: bytes.count) != nil else {
                    throw JSONError(reason: .escape, offset: escape)
                }
                continue
            }
            guard byte >= 0x20 else { throw error(byte == 0 ? .otherEncoding : .controlCharacter) }
            if byte >= 0x80 { isASCII = false }
            position += 1
        }
        let range = start..<position
        if !isASCII, let fault = JSONScanner.firstFault(inUTF8: bytes, range) {
            throw JSONError(reason: .notUTF8, offset: fault)
        }
        position += 1
        try append(JSONToken(kind: .text, hasEscapes: hasEscapes, bytes: range, next: tokens.count + 1))
    }

    private static func firstFault(inUTF8 bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range).span)
            return nil
        } catch {
            return range.lowerBound + error.byteOffsets.lowerBound
        }
    }

    // MARK: Names

    private func isRepeated(_ name: Int, in object: inout OpenObject) -> Bool {
        guard object.count >= Self.few else {
            var other = object.token + 1
            while other < name {
                if isSame(other, name) { return true }
                other = tokens[other + 1].next
            }
            return false
        }
        if object.names.isEmpty {
            var other = object.token + 1
            while other < name {
                object.names.insert(meaning(other))
                other = tokens[other + 1].next
            }
        }
        return !object.names.insert(meaning(name)).inserted
    }

    private func isSame(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (tokens[one], tokens[other])
        guard !one.hasEscapes, !other.hasEscapes else {
            return meaning(one).elementsEqual(meaning(other))
        }
        return one.bytes.count == other.bytes.count && bytes[one.bytes].elementsEqual(bytes[other.bytes])
    }

    private func meaning(_ name: Int) -> [UInt8] { meaning(tokens[name]) }

    private func meaning(_ name: JSONToken) -> [UInt8] {
        name.hasEscapes ? JSONEscape.resolved(bytes[name.bytes]) : Array(bytes[name.bytes])
    }

    /// Whether the last token is the name `name`.
    func isLast(_ name: String) -> Bool {
        guard let last = tokens.last else { return false }
        return meaning(last).elementsEqual(name.utf8)
    }

    // MARK: Errors

    private func unexpected(_ byte: UInt8) -> JSONError {
        switch byte {
        case UInt8(ascii: ","): error(.strayComma)
        // UTF-16 and UTF-32 begin with such a byte, or contain zero bytes.
        case 0: error(.otherEncoding)
        case 0xFE, 0xFF: error(position == 0 ? .otherEncoding : .unexpected(byte))
        default: error(.unexpected(byte))
        }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }
}
