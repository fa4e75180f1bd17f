// SPDX-License-Identifier: Apache-2.0

import Service

/// The one reader of JSON that comes from outside: one pass over the bytes, strict.
///
/// A long list is not kept as a whole: each element is handed over and forgotten, so that a body costs its bytes and what
/// is made of it.
enum JSONReader {
    static func read(_ bytes: [UInt8], limits: JSONLimits = .element) throws(JSONError) -> JSONNode {
        let text = JSONText(bytes)
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            var scanner = JSONScanner(buffer, limits: limits)
            return try placing(text, &scanner) { scanner throws(JSONError) in
                try scanner.value()
                try scanner.end()
            }
        }
    }

    /// As above; `take` gets each element of the list that the top object has as its member `list`, where the answer has an
    /// empty list. The elements have been taken when what follows turns out not to be JSON.
    static func read(
        _ bytes: [UInt8], list: String, atMost maximum: Int, _ take: (JSONNode) -> Void
    ) throws(JSONError) -> JSONNode {
        let text = JSONText(bytes)
        return try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            var scanner = JSONScanner(buffer, limits: .element)
            return try placing(text, &scanner) { scanner throws(JSONError) in
                guard try scanner.next() == UInt8(ascii: "{") else {
                    try scanner.value()
                    return try scanner.end()
                }
                var object = try scanner.openObject()
                while try scanner.nextMember(&object) {
                    if scanner.isLast(list), try scanner.next() == UInt8(ascii: "[") {
                        try elements(of: list, atMost: maximum, &scanner, text, take)
                    } else {
                        try scanner.value()
                    }
                }
                try scanner.end()
            }
        }
    }

    /// At the bracket.
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

    private static func placing(
        _ text: JSONText, _ scanner: inout JSONScanner, _ scan: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) -> JSONNode {
        do throws(JSONError) {
            try scan(&scanner)
            text.tokens = scanner.tokens
            return JSONNode(text: text, index: 0)
        } catch {
            text.tokens = scanner.tokens
            var error = error
            // Of a limit: what is limited, not where in it the limit was passed.
            error.path = text.path(to: error.isLimit ? 0 : text.tokens.count)
            throw error
        }
    }
}
