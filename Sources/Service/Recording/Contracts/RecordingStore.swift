// SPDX-License-Identifier: Apache-2.0

/// The directory of recordings. Owned here so that the recorder knows neither files nor their formats. Every call may
/// block on the disk.
public protocol RecordingStore: Sendable {
    /// A new file, never one that is there.
    func create(_ settings: RecordingSettings) throws(RecordingError) -> any RecordingWriter
    /// Finished ones, the newest first.
    func list() throws(RecordingError) -> [RecordingEntry]
    func entry(_ id: String) throws(RecordingError) -> RecordingEntry
    /// The file for reading: the caller closes the descriptor.
    func open(_ id: String) throws(RecordingError) -> (descriptor: Int32, size: UInt64)
    func delete(_ id: String) throws(RecordingError)
    /// As an item's `uri`.
    func address(_ id: String) -> String
}

/// A file that is being written; lives on one thread. Whatever happens to the process, it can be read up to what was
/// written last.
public protocol RecordingWriter: AnyObject {
    /// The id that it will have.
    var id: String { get }
    /// Interleaved; full scale at -1...1, beyond is clipped. `sizeLimit` in the result: no more fits in such a file.
    func write(_ samples: UnsafeBufferPointer<Float>) throws(RecordingError) -> WriteOutcome
    /// Completes the file and puts it among the finished ones.
    func finish() throws(RecordingError)
}

public enum WriteOutcome: Sendable {
    case written
    case sizeLimit
}
