// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Service

/// A file with the received bytes of a stream.
final class StreamFile: StreamWriter {
    let id: String
    private(set) var count: Int64 = 0
    /// -1 once it is closed.
    private var descriptor: Int32
    private let settle: (_ isEmpty: Bool) throws(RecordingError) -> Void

    /// Takes over the descriptor. `settle` publishes the closed file, or deletes an empty one.
    init(
        id: String, _ descriptor: Int32, settle: @escaping (_ isEmpty: Bool) throws(RecordingError) -> Void
    ) {
        self.id = id
        self.descriptor = descriptor
        self.settle = settle
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// If not all bytes can be written, the first ones are.
    func write(_ bytes: UnsafeRawBufferPointer) throws(RecordingError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let done = Glibc.write(descriptor, part.baseAddress, part.count)
            if done < 0, errno == EINTR { continue }
            guard done >= 0 else { throw RecordingDirectory.failure(errno, "\(id) cannot be written") }
            count += Int64(done)
            rest = rest.dropFirst(done)
        }
    }

    /// Published even if its last bytes did not reach the disk, as the rest is playable.
    func finish() throws(RecordingError) {
        guard descriptor >= 0 else { return }
        let isSynced = fsync(descriptor) == 0 || errno == EINVAL
        let problem = errno
        close(descriptor)
        descriptor = -1
        try settle(count == 0)
        guard isSynced else { throw RecordingDirectory.failure(problem, "the file cannot be written to the disk") }
    }
}
