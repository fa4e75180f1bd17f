// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import MediaWorkerProtocol

/// A running worker, with the server's ends of its socket and memory. Ended on deinit.
///
/// `@unchecked Sendable` because it belongs to one thread at a time: the one that started it, or the one that took it from the locked
/// list of idle workers.
final class WorkerProcess: @unchecked Sendable {
    let identifier: pid_t
    let socket: Int32
    let memory: UnsafeMutableRawPointer
    /// Files opened so far.
    var files = 0
    private let launcher: WorkerLauncher
    private var hasEnded = false

    init(_ identifier: pid_t, socket: Int32, memory: UnsafeMutableRawPointer, launcher: WorkerLauncher) {
        self.identifier = identifier
        self.socket = socket
        self.memory = memory
        self.launcher = launcher
    }

    deinit {
        close(socket)
        munmap(memory, SharedMemory.size)
        if !hasEnded { launcher.end(identifier) }
    }

    /// Buffer for source bytes.
    var input: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory, count: SharedMemory.inputCapacity)
    }

    /// Samples from the worker, which may still overwrite them: copy, then use.
    func samples(_ count: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(
            start: UnsafePointer((memory + SharedMemory.samplesOffset).assumingMemoryBound(to: Float.self)),
            count: min(count, SharedMemory.sampleCapacity))
    }

    /// Limits the CPU time until the next request. False if that fails, most likely because the worker has ended.
    func allowProcessorTime(_ seconds: Int) -> Bool {
        clinux_allow_processor_time(identifier, UInt32(clamping: seconds)) == 0
    }

    /// Ends the worker at once.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = launcher.endAndWait(identifier)
    }

    /// Ends a worker that has closed its socket, and describes how it ended.
    func endAndDescribe() -> String {
        guard !hasEnded else { return "ended" }
        hasEnded = true
        return launcher.endAndDescribe(identifier)
    }
}
