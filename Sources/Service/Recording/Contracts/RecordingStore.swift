// SPDX-License-Identifier: Apache-2.0

/// The directory of recordings. The recorder owns this contract, so that it depends neither on files nor on their
/// formats. Every call may block on the disk.
public protocol RecordingStore: Sendable {
    /// Creates a new file, never an existing one.
    func create(_ settings: RecordingSettings) throws(RecordingError) -> any RecordingWriter
    /// Finished ones, the newest first.
    func list() throws(RecordingError) -> [RecordingEntry]
    func entry(_ id: String) throws(RecordingError) -> RecordingEntry
    /// Opens a file for reading; the caller closes the descriptor.
    func open(_ id: String) throws(RecordingError) -> (descriptor: Int32, size: UInt64)
    func delete(_ id: String) throws(RecordingError)
    /// As an item's `uri`.
    func address(_ id: String) -> String
}

/// A file in progress; lives on one thread. It is readable up to the last write even if the process dies.
public protocol RecordingWriter: AnyObject {
    /// The id of the finished file.
    var id: String { get }
    /// Writes interleaved samples; full scale is -1...1, larger values are clipped. Returns `sizeLimit` when the file
    /// can hold no more.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(RecordingError) -> WriteOutcome
    /// Completes the file and moves it to the finished ones. A file without a frame is deleted.
    func finish() throws(RecordingError)
}

public enum WriteOutcome: Sendable {
    case written
    case sizeLimit
}
