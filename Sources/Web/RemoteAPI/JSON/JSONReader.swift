// SPDX-License-Identifier: Apache-2.0

/// The only reader of JSON from clients: one pass over the bytes, strict.
///
/// A long list is not stored: each element is handed over and dropped, so that memory is bounded by the body and the
/// resulting values.
enum JSONReader {
    /// `take` gets each element of the list in the top object's member `list`, which is empty in the result. A syntax error
    /// after that list is thrown after its elements were taken.
    static func read(
        _ bytes: [UInt8], limits: JSONLimits = .element, list: String? = nil, atMost maximum: Int = 0,
        _ take: (JSONNode) -> Void = { _ in }
    ) throws(JSONError) -> JSONNode {
        let text = JSONText(bytes)
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            var scanner = JSONScanner(buffer, limits: limits)
            do throws(JSONError) {
                if let list, try scanner.next() == UInt8(ascii: "{") {
                    var object = try scanner.openObject()
                    while try scanner.nextMember(&object) {
                        if scanner.isLast(list), try scanner.next() == UInt8(ascii: "[") {
                            try elements(of: list, atMost: maximum, &scanner, text, take)
                        } else {
                            try scanner.value()
                        }
                    }
                } else {
                    try scanner.value()
                }
                try scanner.end()
                text.tokens = scanner.tokens
                return JSONNode(text: text, index: 0)
            } catch {
                text.tokens = scanner.tokens
                var error = error
                // For a limit: the path of the limited value, not the place where it was exceeded.
                error.path = text.path(to: error.isLimit ? 0 : text.tokens.count)
                throw error
            }
        }
    }

    /// Called at the opening bracket.
    private static func elements(
        of list: String, atMost maximum: Int, _ scanner: inout JSONScanner, _ text: JSONText, _ take: (JSONNode) -> Void
    ) throws(JSONError) {
        let token = try scanner.open(.list)
        let (began, rest) = (scanner.position, scanner.start)
        var others: [JSONToken] = []
        swap(&others, &scanner.tokens)
        var count = 0
        while true {
            swap(&others, &scanner.tokens)
            guard try scanner.advance(to: UInt8(ascii: "]"), isFirst: count == 0) else { break }
            guard count < maximum else {
                throw JSONError(reason: .tooManyElements(maximum), offset: scanner.position)
            }
            swap(&others, &scanner.tokens)
            text.element = (list, count)
            scanner.start = scanner.position
            try scanner.value()
            swap(&text.tokens, &scanner.tokens)
            take(JSONNode(text: text, index: 0))
            swap(&text.tokens, &scanner.tokens)
            scanner.tokens.removeAll(keepingCapacity: true)
            text.element = nil
            count += 1
        }
        scanner.start = rest + scanner.position - began
        scanner.close(token)
    }
}

/// Limits for one value. Lists of items are limited element by element.
struct JSONLimits {
    var bytes: Int
    var tokens: Int

    /// For one entry of a list, or a body without such a list.
    static let element = JSONLimits(bytes: 256 * 1024, tokens: 4_096)
    /// For a message of the event channel, which has at most 64 KB; the route reads its `data` again.
    static let message = JSONLimits(bytes: 64 * 1024, tokens: 65_536)

    /// Maximum depth of nested objects and lists.
    static let depth = 32
}
