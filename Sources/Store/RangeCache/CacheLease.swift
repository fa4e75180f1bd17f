// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Synchronization

/// A source's use of an entry.
final class CacheLease: CachedMedia {
    private let entry: CacheEntry
    /// nil once closed: the room of a deleted file is free when nothing has it open.
    private let file: Mutex<CacheFile?>
    private let cache: RangeCache
    private let number: UInt64

    init(_ entry: CacheEntry, _ file: CacheFile, _ cache: RangeCache, number: UInt64) {
        self.entry = entry
        self.file = Mutex(file)
        self.cache = cache
        self.number = number
    }

    deinit { close() }

    var facts: CachedFacts { entry.state.withLock { $0.facts } }
    /// After the clock was set back, the age is 0 until the clock catches up.
    var age: Double { max(0, RangeCache.now - entry.state.withLock { $0.checked }) }
    var ranges: RangeSet<Int64> { entry.state.withLock { $0.written } }

    func onWritten(_ handler: @escaping @Sendable (Range<Int64>) -> Void) {
        entry.state.withLock { $0.followers[number] = handler }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        guard !entry.state.withLock({ $0.isRemoved }) else { return nil }
        return file.withLock { $0 }?.read(into: buffer, at: offset)
    }

    func describe(_ facts: CachedFacts) {
        let isNews = entry.state.withLock { state in
            guard !state.isComplete, state.facts != facts || RangeCache.now - state.checked > 60 else { return false }
            state.facts = facts
            state.checked = RangeCache.now
            return true
        }
        if isNews { cache.changed(entry) }
    }

    func confirm(lifetime: Double?) {
        entry.state.withLock { state in
            state.facts.lifetime = lifetime ?? state.facts.lifetime
            state.checked = RangeCache.now
        }
        cache.changed(entry)
    }

    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let isWanted = entry.state.withLock { state in
            !state.isRemoved && state.failure == nil && !state.isComplete
        }
        if isWanted, let file = file.withLock({ $0 }) { cache.write(bytes, at: offset, of: entry, file) }
    }

    func forget() {
        cache.forget(entry)
        close()
    }

    func close() {
        let open = file.withLock { $0.take() }
        if open != nil { cache.release(entry, number) }
    }
}
