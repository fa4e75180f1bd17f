// SPDX-License-Identifier: Apache-2.0

/// The order keys of the saved items, in queue order: strictly ascending 64-bit numbers with gaps, so that an item can be put
/// between two others by writing its own row only.
struct Ranks: Sendable {
    static let gap: Int64 = 1 << 32
    /// Ranks stay within this distance from 0; a million items take 2^52 of it.
    static let bound: Int64 = 1 << 61

    private(set) var values: [Int64] = []

    init(_ values: [Int64] = []) { self.values = values }

    static func fresh(count: Int) -> [Int64] { (0..<count).map { Int64($0) * gap } }

    mutating func remove(at indices: [Int]) throws(InconsistentChange) {
        guard indices.allSatisfy(values.indices.contains) else {
            throw InconsistentChange(description: "an item to remove lies outside of the saved queue")
        }
        if indices.count == 1 {
            values.remove(at: indices[0])
            return
        }
        let gone = Set(indices)
        values = values.indices.filter { !gone.contains($0) }.map { values[$0] }
    }

    /// Makes room at ascending indices of the result and returns the new ranks; nil when a gap is exhausted: then all
    /// were renumbered, and every row must be written.
    mutating func insert(at indices: [Int]) throws(InconsistentChange) -> [Int64]? {
        guard let first = indices.first, let last = indices.last else { return [] }
        guard first >= 0, last < values.count + indices.count else {
            throw InconsistentChange(description: "an item to insert lies outside of the saved queue")
        }
        var result = Array(values[..<first])
        result.reserveCapacity(values.count + indices.count)
        var taken = first
        var given: [Int64] = []
        var start = 0
        while start < indices.count {
            var end = start + 1
            while end < indices.count && indices[end] == indices[end - 1] + 1 { end += 1 }
            let others = indices[start] - result.count
            result.append(contentsOf: values[taken..<(taken + others)])
            taken += others
            let before = result.last
            let after = taken < values.count ? values[taken] : nil
            guard let run = Self.run(of: end - start, between: before, and: after) else {
                values = Self.fresh(count: values.count + indices.count)
                return nil
            }
            result.append(contentsOf: run)
            given.append(contentsOf: run)
            start = end
        }
        result.append(contentsOf: values[taken...])
        values = result
        return given
    }

    private static func run(of count: Int, between before: Int64?, and after: Int64?) -> [Int64]? {
        let length = Int64(count)
        let first: Int64
        let step: Int64
        switch (before, after) {
        case (nil, nil): (first, step) = (0, gap)
        case (let before?, nil): (first, step) = (before + gap, gap)
        case (nil, let after?): (first, step) = (after - length * gap, gap)
        case (let before?, let after?):
            step = (after - before) / (length + 1)
            first = before + step
        }
        guard step > 0, first > -bound, first + length * step < bound else { return nil }
        return (0..<length).map { first + $0 * step }
    }
}
