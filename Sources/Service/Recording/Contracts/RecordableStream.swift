// SPDX-License-Identifier: Apache-2.0

/// The bytes of a player's current item. The stream recorder owns this contract, so that it depends neither on players
/// nor on networks. The reader pulls: a slow reader delays only itself.
public protocol RecordableStream: AnyObject, Sendable {
    /// Id of the item, as clients know it.
    var item: String { get }
    var format: RecordedFormat { get }
    /// Size in bytes; nil for a station, and while unknown.
    var size: Int64? { get }
    /// A station, which has no end.
    var isLive: Bool { get }

    /// `listener` is called from any thread whenever there may be more bytes, until `end`; it must neither block nor
    /// call back.
    /// - Returns: the offset of the first byte.
    func begin(_ listener: @escaping @Sendable () -> Void) throws(RecordingError) -> Int64
    /// One thread at a time. Does not wait for the network.
    func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> StreamPart
    func end()
}

/// The cases differ by the recorder's reaction.
public enum StreamPart: Sendable {
    /// This number of bytes; `isAfterGap`: some bytes before them are missing.
    case bytes(Int, isAfterGap: Bool)
    case nothingYet
    /// No more bytes follow; with a sentence if this was unexpected. `left`: its source is closed, and the item may be
    /// reopened.
    case over(StreamEndReason, String? = nil)
}

/// Stores recordings of streams. Every call may block on the disk.
public protocol StreamStore: Sendable {
    /// Creates a new file, never an existing one. `name`: without extension; nil: the time.
    func createStream(name: String?, _ format: RecordedFormat) throws(RecordingError) -> any StreamWriter
}

/// A file in progress; lives on one thread. Written bytes are readable even if the process dies.
public protocol StreamWriter: AnyObject {
    /// The id of the finished file.
    var id: String { get }
    /// Bytes in the file, also after a failure.
    var count: Int64 { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(RecordingError)
    /// Completes the file and moves it to the finished ones.
    func finish() throws(RecordingError)
}
