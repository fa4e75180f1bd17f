// SPDX-License-Identifier: Apache-2.0

/// What a player's current item sends, byte for byte. Owned here so that the recorder of streams knows neither players nor
/// networks. It is pulled: a slow reader delays only itself.
public protocol RecordableStream: AnyObject, Sendable {
    /// Of the item, as clients know it.
    var item: String { get }
    /// Of a file of it.
    var format: RecordedFormat { get }
    /// Bytes of what has an end; nil for a station, and while unknown.
    var size: Int64? { get }
    /// A station: it has no end.
    var isLive: Bool { get }

    /// `listener` is called from any thread whenever there may be more, until `end`; it must not block nor call back.
    /// - Returns: the place of the first byte.
    func begin(_ listener: @escaping @Sendable () -> Void) throws(RecordingError) -> Int64
    /// Called from one thread. Waits for no network.
    func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> StreamPart
    func end()
}

/// Cases by what the recorder does then.
public enum StreamPart: Sendable {
    /// So many bytes; before them something is missing.
    case bytes(Int, isAfterGap: Bool)
    case nothingYet
    /// It is over, as no more comes; with a sentence, when that was not to be. `left`: its source is closed, and the item may be
    /// opened anew.
    case over(StreamEndReason, String? = nil)
}

/// Where recordings of streams are put. Every call may block on the disk.
public protocol StreamStore: Sendable {
    /// A new file, never one that is there. `name`: without extension; nil names it by the time.
    func createStream(name: String?, _ format: RecordedFormat) throws(RecordingError) -> any StreamWriter
}

/// A file that is being written; lives on one thread. Whatever happens to the process, what was written can be read.
public protocol StreamWriter: AnyObject {
    /// The id that it will have.
    var id: String { get }
    /// Bytes in the file, also after a failure.
    var count: Int64 { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(RecordingError)
    /// Completes the file and puts it among the finished ones.
    func finish() throws(RecordingError)
}
