// SPDX-License-Identifier: Apache-2.0

/// Where the parts of a long list are in the bytes of a JSON text, so that they can be decoded one after another: the
/// decoder keeps an index of whatever it is given, many times as large as that.
struct JSONListParts: Hashable {
    /// Elements of one part.
    static let partLength = 256

    struct Part: Hashable {
        /// The index of its first element.
        var first: Int
        /// Its elements and the commas between them.
        var bytes: Range<Int>
    }

    let name: String
    let limit: Int
    private(set) var parts: [Part] = []
    /// All its elements.
    private(set) var count = 0
    /// From bracket to bracket.
    private(set) var bytes = 0..<0
    /// The next value is this member's.
    var isNext = false
    private var isOpen = false
    private var start = 0
    private var first = 0

    init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    var isFound: Bool { !bytes.isEmpty }

    mutating func open(at position: Int) {
        guard isNext, bytes.isEmpty else { return }
        isOpen = true
        bytes = position..<position
        start = position + 1
    }

    mutating func separate(at position: Int) -> JSONFault? {
        guard isOpen else { return nil }
        count += 1
        if count - first == Self.partLength { endPart(at: position) }
        return count > limit ? .tooMany(limit) : nil
    }

    /// `position`: behind the bracket.
    mutating func close(at position: Int, isEmpty: Bool) -> JSONFault? {
        guard isOpen else { return nil }
        isOpen = false
        bytes = bytes.lowerBound..<position
        if !isEmpty {
            count += 1
            endPart(at: position - 1)
        }
        return count > limit ? .tooMany(limit) : nil
    }

    private mutating func endPart(at end: Int) {
        parts.append(Part(first: first, bytes: start..<end))
        start = end + 1
        first = count
    }
}
