// SPDX-License-Identifier: Apache-2.0

/// Consecutive segments with their positions, stored compactly: 64 bytes each, plus the text of the address.
struct HLSSlots: RandomAccessCollection {
    private struct Entry {
        var start: Double
        var duration: Double
        var discontinuity: Int64
        /// Empty for none.
        var range: Range<Int64>
        /// Where its address lies in `text`.
        var reference: Range<UInt32>
        var base: Int32
        /// -1: none.
        var key: Int32
        var map: Int32
        var isGap: Bool
    }

    private var first: Int64 = 0
    private var entries: [Entry] = []
    private var text: [UInt8] = []
    // Values shared by consecutive segments.
    private var bases: [HLSBase] = []
    private var keys: [HLSKey] = []
    private var maps: [HLSPart] = []

    /// The number of stored shared values, for tests.
    var commonCount: Int { bases.count + keys.count + maps.count }

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }

    subscript(index: Int) -> HLSSchedule.Slot {
        let entry = entries[index]
        let written = text[Int(entry.reference.lowerBound)..<Int(entry.reference.upperBound)]
        let media = HLSPart(
            reference: HLSReference(String(decoding: written, as: UTF8.self), from: bases[Int(entry.base)]),
            range: entry.range.isEmpty ? nil : entry.range, key: entry.key < 0 ? nil : keys[Int(entry.key)])
        let segment = HLSSegment(
            sequence: first + Int64(index), duration: entry.duration, media: media,
            map: entry.map < 0 ? nil : maps[Int(entry.map)], discontinuity: entry.discontinuity, isGap: entry.isGap)
        return HLSSchedule.Slot(segment: segment, start: entry.start)
    }

    func slot(_ sequence: Int64) -> HLSSchedule.Slot? {
        guard sequence >= first, sequence - first < entries.count else { return nil }
        return self[Int(sequence - first)]
    }

    /// `start`: nil if the segment starts where the last one ends.
    mutating func append(_ segment: HLSSegment, start: Double? = nil) {
        let start = start ?? entries.last.map { $0.start + $0.duration } ?? 0
        if entries.isEmpty { first = segment.sequence }
        let reference = segment.media.reference
        let place = UInt32(text.count)
        text += reference.text.utf8
        entries.append(
            Entry(
                start: start, duration: segment.duration, discontinuity: segment.discontinuity,
                range: segment.media.range ?? 0..<0, reference: place..<UInt32(text.count),
                base: Self.index(of: reference.base, in: &bases) { $0 === $1 },
                key: segment.media.key.map { Self.index(of: $0, in: &keys) { $0.isCopy(of: $1) } } ?? -1,
                map: segment.map.map { Self.index(of: $0, in: &maps) { $0.isCopy(of: $1) } } ?? -1,
                isGap: segment.isGap))
    }

    mutating func removeFirst(_ count: Int) {
        entries.removeFirst(count)
        first += Int64(count)
        // Compact once more than half of the text belongs to removed segments.
        guard Int(entries.first?.reference.lowerBound ?? .max) > text.count / 2 else { return }
        var rest = HLSSlots()
        for slot in self { rest.append(slot.segment, start: slot.start) }
        self = rest
    }

    mutating func keepLast(_ count: Int) {
        if entries.count > count { removeFirst(entries.count - count) }
    }

    mutating func shift(by seconds: Double) {
        for index in entries.indices { entries[index].start += seconds }
    }

    private static func index<Value>(
        of value: Value, in values: inout [Value], isSame: (Value, Value) -> Bool
    ) -> Int32 {
        if values.last.map({ !isSame($0, value) }) ?? true { values.append(value) }
        return Int32(values.count - 1)
    }
}
