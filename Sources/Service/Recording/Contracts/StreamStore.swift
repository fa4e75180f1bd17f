// SPDX-License-Identifier: Apache-2.0

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
