// SPDX-License-Identifier: Apache-2.0

/// The cache of network media, as clients see it.
public struct CacheStatus: Hashable, Sendable {
    /// Maximum size in bytes.
    public var limit: Int64
    public var bytes: Int64
    public var count: Int
    /// Most recently used first; events list only the entries in use.
    public var entries: [CachedEntry]
    /// Why the cache stores nothing at present; nil if it works.
    public var problem: String?

    public init(
        limit: Int64, bytes: Int64 = 0, count: Int = 0, entries: [CachedEntry] = [], problem: String? = nil
    ) {
        self.count = count
        self.limit = limit
        self.bytes = bytes
        self.entries = entries
        self.problem = problem
    }
}

public struct CachedEntry: Hashable, Sendable {
    public var key: String
    public var uri: String
    /// nil while unknown.
    public var size: Int64?
    /// Cached ranges, in order.
    public var ranges: [Range<Int64>]
    public var isComplete: Bool
    /// The entry is playing, or loaded for playing.
    public var isInUse: Bool
    /// Time of the last use: seconds since the Unix epoch.
    public var used: Double
    public var contentType: String?
    public var bytesPerSecond: Double

    public init(
        key: String, uri: String, size: Int64?, ranges: [Range<Int64>], isComplete: Bool, isInUse: Bool, used: Double,
        contentType: String?, bytesPerSecond: Double
    ) {
        self.key = key
        self.uri = uri
        self.size = size
        self.ranges = ranges
        self.isComplete = isComplete
        self.isInUse = isInUse
        self.used = used
        self.contentType = contentType
        self.bytesPerSecond = bytesPerSecond
    }

    public var bytes: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}

/// Manages the cache. Any thread; calls may wait for the disk.
public protocol CacheKeeper: Sendable {
    func status() -> CacheStatus
    func remove(_ key: String) throws(CacheError)
    /// Removes all entries that are not in use; returns the numbers of removed and kept ones.
    func removeAll() -> (removed: Int, kept: Int)
    /// Calls once, from any thread: when `count` bytes from `offset` on, or all up to the end, are readable; when the
    /// download has ended; or after this number of seconds. False if too many callers wait already.
    func wait(
        for key: String, at offset: Int64, count: Int64, seconds: Double, _ call: @escaping @Sendable () -> Void
    ) -> Bool
    /// The caller closes the descriptor.
    func open(_ key: String) throws(CacheError) -> (descriptor: Int32, entry: CachedEntry)
}

public enum CacheError: Error, Hashable, Sendable {
    case unknown
    case inUse
    /// With the system's error text.
    case unreadable(String)
}
