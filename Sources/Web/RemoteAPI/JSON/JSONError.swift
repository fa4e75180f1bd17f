// SPDX-License-Identifier: Apache-2.0

/// A syntax error or an exceeded limit, with its place.
struct JSONError: Error, Hashable {
    enum Reason: Hashable {
        case unexpected(UInt8)
        case endOfText
        /// A comma before a closing bracket, or without a value before it.
        case strayComma
        case number
        case escape
        case controlCharacter
        case notUTF8
        /// UTF-16 or UTF-32.
        case otherEncoding
        /// Two readers could choose different values (RFC 8259 section 4).
        case repeatedMember(String)
        case tooDeep
        /// There is text after the value.
        case trailing
        case tooManyBytes(Int)
        case tooManyTokens(Int)
        case tooManyElements(Int)
    }

    var reason: Reason
    /// Byte offset from the beginning.
    var offset: Int
    /// Path of the enclosing object or list, in the notation of problems; empty at the top.
    var path = ""

    /// The text is valid JSON but exceeds a limit.
    var isLimit: Bool {
        switch reason {
        case .tooManyBytes, .tooManyTokens, .tooManyElements: true
        default: false
        }
    }

    /// A sentence for the client.
    var text: String {
        let place = path.isEmpty ? "byte \(offset)" : "byte \(offset), in \(path)"
        switch reason {
        case .unexpected(let byte) where (33..<127).contains(byte):
            return "The body is not valid JSON: unexpected \(Character(Unicode.Scalar(byte))) at \(place)."
        case .unexpected: return "The body is not valid JSON: unexpected character at \(place)."
        case .endOfText: return "The body is not valid JSON: it ends too early, at \(place)."
        case .strayComma: return "A value is missing at a comma, at \(place)."
        case .number: return "The body is not valid JSON: not a number at \(place)."
        case .escape: return "The body is not valid JSON: unknown escape at \(place)."
        case .controlCharacter: return "The body is not valid JSON: unescaped control character at \(place)."
        case .notUTF8: return "The body is not valid UTF-8 at \(place)."
        case .otherEncoding: return "JSON is read as UTF-8 only."
        case .repeatedMember(let name): return "The member \(name.prefix(60)) appears twice in one object, at \(place)."
        case .tooDeep: return "Objects and lists are nested more than \(JSONLimits.depth) deep, at \(place)."
        case .trailing: return "The body is not valid JSON: something follows its end, at \(place)."
        case .tooManyBytes(let limit): return "\(subject) is larger than \(limit) bytes."
        case .tooManyTokens(let limit): return "\(subject) has more than \(limit) names and values."
        case .tooManyElements(let limit): return "\(subject) has more than \(limit) elements."
        }
    }

    private var subject: String { path.isEmpty ? "The body without its list" : path }
}
