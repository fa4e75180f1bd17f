// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Service

/// A stream's bytes as they come, in a file of their own.
final class StreamFile: StreamWriter {
    let id: String
    private(set) var count: Int64 = 0
    /// -1 once it is closed.
    private var descriptor: Int32
    private let settle: (_ isEmpty: Bool) throws(RecordingError) -> Void

    /// Takes the descriptor over. `settle` puts the closed file in place, or away when nothing is in it.
    init(
        id: String, _ descriptor: Int32, settle: @escaping (_ isEmpty: Bool) throws(RecordingError) -> Void
    ) {
        self.id = id
        self.descriptor = descriptor
        self.settle = settle
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// What fits of them is in the file also when not all do.
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

    /// It is put in place also when its last bytes did not reach the disk: what is there can be heard.
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
