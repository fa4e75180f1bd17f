// SPDX-License-Identifier: Apache-2.0

public import Kernel

/// Stores downloaded media by address. The protocol decouples the network source from the storage.
///
/// Any thread may call this. No method waits for the network; `find` and `make` may wait for the disk.
public protocol MediaCache: AnyObject, Sendable {
    /// The cached part of this file, in use until `close`; nil if nothing is cached.
    func find(_ address: WebAddress) -> (any CachedMedia)?

    /// As `find`, or a new empty entry; nil if nothing can be stored.
    func make(_ address: WebAddress) -> (any CachedMedia)?
}

/// One file in the cache, used by one source until `close`.
public protocol CachedMedia: AnyObject, Sendable {
    var facts: CachedFacts { get }
    /// Seconds since the server last confirmed this version.
    var age: Double { get }
    /// Bytes that `read` can return.
    var ranges: RangeSet<Int64> { get }

    /// `handler` is called when `ranges` has grown, on the cache's thread. It must not call this object.
    func onWritten(_ handler: @escaping @Sendable (Range<Int64>) -> Void)

    /// Reads up to `buffer.count` bytes within `ranges`; nil if they are gone or the file is too short.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int?

    /// Stores the server's facts if they have changed.
    func describe(_ facts: CachedFacts)

    /// The server has just confirmed this version. `lifetime`: seconds until it must be revalidated.
    func confirm(lifetime: Double?)

    /// Stores these bytes. Never waits: drops them if the disk is slow or full, or the cache has no room.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int64)

    /// Deletes the entry, as the server has another version or forbids to store it, or the entry is damaged. This object is unusable
    /// afterwards.
    func forget()

    /// Idempotent.
    func close()
}

/// A server's facts about a cached media: enough to revalidate it.
public struct CachedFacts: Hashable, Sendable {
    public var size: ByteCount?
    public var entityTag: String?
    public var lastModified: String?
    public var contentType: String?
    /// Seconds without revalidation; nil when unknown.
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
