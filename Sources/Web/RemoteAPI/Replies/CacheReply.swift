// SPDX-License-Identifier: Apache-2.0

import Service
internal import Kernel

extension JSONWriter {
    /// `GET /cache`, and `cache` events.
    mutating func members(of status: CacheStatus, isEnabled: Bool = true) {
        member("enabled", isEnabled)
        member("limit", status.limit)
        member("bytes", status.bytes)
        member("count", status.count)
        member("problem", status.problem)
        member("entries", objects: status.entries) { $0.members(of: $1) }
    }

    mutating func members(of entry: CachedEntry) {
        member("key", entry.key)
        member("uri", PublicURI.text(entry.uri))
        member("size", entry.size)
        member("bytes", entry.bytes)
        member("progress", entry.size.map { $0 > 0 ? min(1, Double(entry.bytes) / Double($0)) : 0 })
        member("complete", entry.isComplete)
        member("inUse", entry.isInUse)
        member("bytesPerSecond", entry.bytesPerSecond)
        member("used", Int64(clamping: entry.used * 1_000))
        member("ranges", objects: entry.ranges.prefix(100)) { writer, range in
            writer.member("start", range.lowerBound)
            writer.member("length", range.upperBound - range.lowerBound)
        }
    }
}
