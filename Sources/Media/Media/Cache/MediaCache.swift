// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Keeps what was downloaded, by address. It decouples the network source from how and where that is stored.
///
/// Callable from any thread. Nothing here waits for the network; `find` and `make` may wait for the disk.
public protocol MediaCache: AnyObject, Sendable {
    /// The cached part of this media, in use from now on; nil when nothing is cached.
    func find(_ address: WebAddress) -> (any CachedMedia)?

    /// As `find`, or a new empty one; nil when nothing can be kept.
    func make(_ address: WebAddress) -> (any CachedMedia)?
}

/// One media of a cache, in use by one source until `close`.
public protocol CachedMedia: AnyObject, Sendable {
    var facts: CachedFacts { get }
    /// Seconds since the server last confirmed that it has this.
    var age: Double { get }
    /// Bytes that `read` gives.
    var ranges: RangeSet<Int64> { get }

    /// `handler` is called when there are more of them, from the cache's thread. It must not call this object.
    func onWritten(_ handler: @escaping @Sendable (Range<Int64>) -> Void)

    /// Reads up to `buffer.count` bytes within `ranges`; nil when they are not there any more, or not as long as they
    /// should be.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int?

    /// The server's answer, when it is news.
    func describe(_ facts: CachedFacts)

    /// The server has just confirmed that it still has the same, and for how many seconds it need not be asked again.
    func confirm(lifetime: Double?)

    /// Keeps these bytes, or does not, when the disk is too slow, full, or there is no room: never waits.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64)

    /// The server has another media by now, or what is kept is damaged: it goes, and this object is of no use any more.
    func forget()

    /// Idempotent.
    func close()
}

/// Facts of a cached media; enough to find out whether the server still has the same one.
public struct CachedFacts: Hashable, Sendable {
    public var size: ByteCount?
    public var entityTag: String?
    public var lastModified: String?
    public var contentType: String?
    /// Seconds for which the server need not be asked whether it still has the same; nil when unknown.
    public var lifetime: Double?

    public init(
        size: ByteCount? = nil, entityTag: String? = nil, lastModified: String? = nil, contentType: String? = nil,
        lifetime: Double? = nil
    ) {
        self.size = size
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.contentType = contentType
        self.lifetime = lifetime
    }
}
