// SPDX-License-Identifier: Apache-2.0

/// What the decoder takes without a word, though it is no JSON, or may mean another thing to who wrote it.
///
/// Found in one pass over the bytes, without making strings; the same pass finds the parts of a long list. What else is no JSON is left to the decoder, which refuses it.
enum JSONFault: Hashable {
    /// The name of a member that an object has twice: two readers may take different values (RFC 8259 section 4).
    case repeatedMember(String)
    /// A comma before a closing bracket, or with nothing before it.
    case strayComma
    /// A bracket that closes none, or one of the other kind.
    case mismatch
    /// The list has more than so many elements.
    case tooMany(Int)
    /// More objects and lists within each other than any request has, and than the decoder has stack for.
    case tooDeep

    /// A zero byte, which UTF-8 has in no JSON: it is UTF-16 or UTF-32, in which nothing of the above would be seen.
    case otherEncoding

    /// Objects and lists that may be open at once.
    static let deepest = 32

    /// nil when there is none.
    static func first(in bytes: [UInt8]) -> JSONFault? {
        bytes.withUnsafeBufferPointer { buffer in
            var scan = Scan(bytes: buffer)
            return scan.run()
        }
    }

    /// As above, and where the list is that the top object has as its member `name`; at most `limit` elements.
    static func first(in bytes: [UInt8], list name: String, limit: Int) -> (fault: JSONFault?, list: JSONListParts?) {
        bytes.withUnsafeBufferPointer { buffer in
            var scan = Scan(bytes: buffer, list: JSONListParts(name: name, limit: limit))
            let fault = scan.run()
            return (fault, scan.list.flatMap { $0.isFound ? $0 : nil })
        }
    }

    private struct Scan {
        let bytes: UnsafeBufferPointer<UInt8>
        private var position = 0
        /// The names of all open objects, the innermost last.
        private var names: [Name] = []
        /// Where the names of each open object begin; nil for a list.
        private var open: [Int?] = []
        /// Of an object with many members, as they are compared.
        private var manyNames: [Int: Set<[UInt8]>] = [:]
        private static let few = 16
        private(set) var list: JSONListParts?

        /// Bytes between quotes, and what they mean where that differs: `\u0061` is `a`.
        private struct Name {
            var range: Range<Int>
            var meaning: [UInt8]?
        }

        init(bytes: UnsafeBufferPointer<UInt8>, list: JSONListParts? = nil) {
            self.bytes = bytes
            self.list = list
        }

        mutating func run() -> JSONFault? {
            var expectsName = false
            /// The last byte that is not blank.
            var previous: UInt8 = 0
            while position < bytes.count {
                if open.count > JSONFault.deepest { return .tooDeep }
                let byte = bytes[position]
                position += 1
                if Self.isBlank(byte) { continue }
                defer { previous = byte }
                switch byte {
                case UInt8(ascii: "{"):
                    open.append(names.count)
                    expectsName = true
                case UInt8(ascii: "["):
                    if open.count == 1, previous == UInt8(ascii: ":") { list?.open(at: position - 1) }
                    open.append(nil)
                    expectsName = false
                case UInt8(ascii: "}"):
                    if previous == UInt8(ascii: ",") { return .strayComma }
                    guard let last = open.popLast(), let start = last else { return .mismatch }
                    names.removeSubrange(start...)
                    if !manyNames.isEmpty { manyNames[open.count] = nil }
                    expectsName = false
                case UInt8(ascii: "]"):
                    if previous == UInt8(ascii: ",") { return .strayComma }
                    guard let last = open.popLast(), last == nil else { return .mismatch }
                    if open.count == 1, let fault = list?.close(at: position, isEmpty: previous == UInt8(ascii: "[")) {
                        return fault
                    }
                    expectsName = false
                case 0: return .otherEncoding
                case UInt8(ascii: ","):
                    if [UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{")].contains(previous) {
                        return .strayComma
                    }
                    if open.count == 2, let fault = list?.separate(at: position - 1) { return fault }
                    expectsName = (open.last ?? nil) != nil
                case UInt8(ascii: "\""):
                    let text = skipText()
                    if expectsName, let start = open.last ?? nil {
                        let name = Name(range: text, meaning: JSONEscapes.resolved(bytes[text]))
                        if isRepeated(name, start) {
                            return .repeatedMember(String(decoding: plain(name), as: UTF8.self))
                        }
                        if open.count == 1, let wanted = list?.name {
                            let isWanted = plain(name).elementsEqual(wanted.utf8)
                            list?.isNext = isWanted
                        }
                    }
                    expectsName = false
                default: break
                }
            }
            return nil
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                || byte == UInt8(ascii: "\t")
        }

        /// The bytes between the quotes.
        private mutating func skipText() -> Range<Int> {
            let start = position
            while position < bytes.count {
                let byte = bytes[position]
                if byte == UInt8(ascii: "\"") {
                    position += 1
                    return start..<(position - 1)
                }
                position += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            position = bytes.count
            return start..<position
        }

        /// Keeps the name otherwise.
        private mutating func isRepeated(_ name: Name, _ start: Int) -> Bool {
            defer { names.append(name) }
            guard names.count - start >= Self.few else {
                return names[start...].contains { isSame($0, name) }
            }
            let depth = open.count - 1
            let new = plain(name)
            if manyNames[depth] == nil {
                let known = names[start...].map { plain($0) }
                manyNames[depth] = Set(known)
            }
            return manyNames[depth]?.insert(new).inserted == false
        }

        private func isSame(_ left: Name, _ right: Name) -> Bool {
            guard left.meaning == nil, right.meaning == nil else { return plain(left) == plain(right) }
            return left.range.count == right.range.count && bytes[left.range].elementsEqual(bytes[right.range])
        }

        private func plain(_ name: Name) -> [UInt8] { name.meaning ?? Array(bytes[name.range]) }
    }
}
