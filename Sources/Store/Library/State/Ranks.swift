// SPDX-License-Identifier: Apache-2.0

/// The order keys of the saved items, in queue order: strictly ascending 64-bit numbers with gaps, so that inserting an item
/// between two others writes one row only.
struct Ranks: Sendable {
    static let gap: Int64 = 1 << 32
    /// The largest absolute value of a rank. A million items use 2^52.
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

    /// The rows that an insertion has to write.
    enum Room: Equatable {
        /// The new rows, with these ranks.
        case there([Int64])
        /// The new rows, and the neighbours whose ranks were in `window`, in order.
        case made(given: [Int64], window: ClosedRange<Int64>, neighbours: [Int64])
    }

    /// Makes room at ascending indices of the result. Moves as many neighbours as necessary if a gap is exhausted.
    mutating func insert(at indices: [Int]) throws(InconsistentChange) -> Room {
        guard let first = indices.first, let last = indices.last else { return .there([]) }
        guard first >= 0, last < values.count + indices.count else {
            throw InconsistentChange(description: "an item to insert lies outside of the saved queue")
        }
        if last - first == indices.count - 1 { return insertRun(of: indices.count, at: first) }
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
                return renumber(withNewAt: indices)
            }
            result.append(contentsOf: run)
            given.append(contentsOf: run)
            start = end
        }
        result.append(contentsOf: values[taken...])
        values = result
        return .there(given)
    }

    private mutating func insertRun(of count: Int, at index: Int) -> Room {
        if let run = Self.run(of: count, between: rank(index - 1), and: rank(index)) {
            values.insert(contentsOf: run, at: index)
            return .there(run)
        }
        var reach = 32
        while true {
            let window = max(0, index - reach)..<min(values.count, index + reach)
            let total = window.count + count
            // With gaps for further insertions here. There is always room for all items together.
            if let run = Self.run(
                of: total, between: rank(window.lowerBound - 1), and: rank(window.upperBound), step: 1 << 16)
            {
                let start = index - window.lowerBound
                let given = Array(run[start..<(start + count)])
                let old = values[window.lowerBound]...values[window.upperBound - 1]
                values.replaceSubrange(window, with: run)
                return .made(given: given, window: old, neighbours: Array(run[..<start] + run[(start + count)...]))
            }
            reach *= 4
        }
    }

    /// Moves all items.
    private mutating func renumber(withNewAt indices: [Int]) -> Room {
        let window = values[0]...values[values.count - 1]
        values = Self.fresh(count: values.count + indices.count)
        let new = Set(indices)
        let neighbours = values.indices.filter { !new.contains($0) }.map { values[$0] }
        return .made(given: indices.map { values[$0] }, window: window, neighbours: neighbours)
    }

    private func rank(_ index: Int) -> Int64? { values.indices.contains(index) ? values[index] : nil }

    private static func run(of count: Int, between before: Int64?, and after: Int64?, step least: Int64 = 1)
        -> [Int64]?
    {
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
        guard step >= least, first > -bound, first + length * step < bound else { return nil }
        return (0..<length).map { first + $0 * step }
    }
}
