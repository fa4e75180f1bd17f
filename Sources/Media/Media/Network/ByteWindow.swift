// SPDX-License-Identifier: Apache-2.0

/// The bytes of a source around the read position, in bounded memory. The first page is never dropped.
struct ByteWindow {
    static let pageSize = 64 << 10

    /// Bytes in memory.
    private(set) var loaded = RangeSet<Int64>()
    private var pages: [Int64: Page] = [:]
    private let capacity: Int

    private final class Page {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteWindow.pageSize, alignment: 16)
        deinit { bytes.deallocate() }
    }

    /// `memory`: bytes in addition to the first page.
    init(memory: Int) { capacity = max(4, memory / Self.pageSize) }

    /// Bytes to load ahead of the read position; the rest of the memory holds bytes already read.
    var reach: Int64 { Int64(capacity * Self.pageSize / 4 * 3) }

    /// Stores the bytes, dropping the pages farthest from `place`; new bytes that are the farthest are dropped themselves.
    mutating func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64, around place: Int64) {
        var done = 0
        while done < bytes.count {
            let position = offset + Int64(done)
            let index = position / Int64(Self.pageSize)
            let start = Int(position % Int64(Self.pageSize))
            let count = min(bytes.count - done, Self.pageSize - start)
            if let page = page(index, around: place), let base = bytes.baseAddress {
                page.bytes.baseAddress?.advanced(by: start).copyMemory(from: base + done, byteCount: count)
                loaded.insert(contentsOf: position..<position + Int64(count))
            }
            done += count
        }
    }

    /// Copies loaded bytes from `offset` on. Returns their number; 0 if that byte is missing.
    func copy(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let end = min(missing(from: offset), offset + Int64(buffer.count))
        var position = offset
        while position < end, let page = pages[position / Int64(Self.pageSize)] {
            let start = Int(position % Int64(Self.pageSize))
            let count = min(Int(end - position), Self.pageSize - start)
            guard let target = buffer.baseAddress, let source = page.bytes.baseAddress else { break }
            (target + Int(position - offset)).copyMemory(from: source + start, byteCount: count)
            position += Int64(count)
        }
        return Int(position - offset)
    }

    /// The first missing byte at or after `offset`.
    func missing(from offset: Int64) -> Int64 { loaded.end(around: offset) ?? offset }

    mutating func removeAll() {
        pages = [:]
        loaded = RangeSet()
    }

    private mutating func page(_ index: Int64, around place: Int64) -> Page? {
        if let page = pages[index] { return page }
        let here = place / Int64(Self.pageSize)
        if index != 0, pages.count - (pages[0] == nil ? 0 : 1) >= capacity {
            // Bytes before the read position count as farther away. With this weight there is always room within `reach`.
            func distance(_ index: Int64) -> Int64 { index < here ? (here - index) * 4 : index - here }
            let farthest = pages.keys.filter { $0 != 0 }.max { distance($0) < distance($1) }
            guard let farthest, distance(farthest) > distance(index) else { return nil }
            pages[farthest] = nil
            let start = farthest * Int64(Self.pageSize)
            loaded.remove(contentsOf: start..<start + Int64(Self.pageSize))
        }
        let page = Page()
        pages[index] = page
        return page
    }
}

extension RangeSet<Int64> {
    /// The end of the range that contains `offset`; nil if none does.
    func end(around offset: Int64) -> Int64? { ranges.first { $0.contains(offset) }?.upperBound }
}
