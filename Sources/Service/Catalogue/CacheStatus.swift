// SPDX-License-Identifier: Apache-2.0

/// What is kept of media that came over the network, as clients see it.
public struct CacheStatus: Hashable, Sendable {
    /// Bytes that may be kept.
    public var limit: Int64
    public var bytes: Int64
    public var count: Int
    /// The one used last comes first; in events those in use only.
    public var entries: [CachedEntry]
    /// Why nothing can be kept at present; nil while all is well.
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

/// One media of the cache.
public struct CachedEntry: Hashable, Sendable {
    public var key: String
    public var uri: String
    /// nil while unknown.
    public var size: Int64?
    /// Kept ones, in order.
    public var ranges: [Range<Int64>]
    public var isComplete: Bool
    /// It plays, or is loaded to be played.
    public var isInUse: Bool
    /// When it was used last: seconds since the Unix epoch.
    public var used: Double
    public var contentType: String?
    public var bytesPerSecond: Double

    public init(
        key: String, uri: String, size: Int64?, ranges: [Range<Int64>], isComplete: Bool, isInUse: Bool, used: Double,
        contentType: String? = nil, bytesPerSecond: Double = 0
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

/// Looks after the cache. Usable from any thread; calls may wait for the disk.
public protocol CacheKeeper: Sendable {
    func status() -> CacheStatus
    func remove(_ key: String) throws(CacheError)
    /// All that is not in use; how many entries went and how many stay.
    func removeAll() -> (removed: Int, kept: Int)
    /// Calls once, from any thread: when `count` bytes from `offset` on can be read, or all that there are; when nothing more
    /// comes; or after so many seconds. False when too many wait already.
    func wait(
        for key: String, at offset: Int64, count: Int64, seconds: Double, _ call: @escaping @Sendable () -> Void
    ) -> Bool
    /// The caller closes the descriptor.
    func open(_ key: String) throws(CacheError) -> (descriptor: Int32, entry: CachedEntry)
}

public enum CacheError: Error, Hashable, Sendable {
    case unknown
    case inUse
    /// With the system's text.
    case unreadable(String)
}
