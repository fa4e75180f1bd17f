// SPDX-License-Identifier: Apache-2.0

/// A cache with a limit on the total size; evicts the least recently used value first.
package struct RecentlyUsed<Key: Hashable, Value> {
    private let capacity: Int
    private var entries: [Key: (value: Value, size: Int, use: Int)] = [:]
    private var size = 0
    private var uses = 0

    package init(capacity: Int) { self.capacity = capacity }

    package subscript(key: Key) -> Value? {
        mutating get {
            guard let value = entries[key]?.value else { return nil }
            uses += 1
            entries[key]?.use = uses
            return value
        }
    }

    /// Does not keep a value that exceeds the capacity by itself.
    package mutating func insert(_ value: Value, for key: Key, size new: Int) {
        size -= entries.removeValue(forKey: key)?.size ?? 0
        guard new <= capacity else { return }
        while size + new > capacity, let oldest = entries.min(by: { $0.value.use < $1.value.use }) {
            size -= oldest.value.size
            entries[oldest.key] = nil
        }
        uses += 1
        entries[key] = (value, new, uses)
        size += new
    }
}
