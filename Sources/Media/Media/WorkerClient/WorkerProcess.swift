// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import MediaWorkerProtocol

/// A worker that runs, and the server's ends of its socket and memory. Ended with its owner.
///
/// `@unchecked Sendable` because it belongs to one thread at a time: the one that started it, or the one that took it from
/// the idle ones, whose list is behind a lock.
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

    /// Where source bytes for the worker go.
    var input: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory, count: SharedMemory.inputCapacity)
    }

    /// Samples that the worker has written. It may still write: only to be copied.
    func samples(_ count: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(
            start: UnsafePointer((memory + SharedMemory.samplesOffset).assumingMemoryBound(to: Float.self)),
            count: min(count, SharedMemory.sampleCapacity))
    }

    /// Whatever it does until it is asked again, it does within so many seconds of the processor. False when it cannot be
    /// limited: it has ended, most likely.
    func allowProcessorTime(_ seconds: Int) -> Bool {
        clinux_allow_processor_time(identifier, UInt32(clamping: seconds)) == 0
    }

    /// Ends it at once.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = launcher.endAndWait(identifier)
    }

    /// Of one that does not speak any more: how it ended.
    func endAndDescribe() -> String {
        guard !hasEnded else { return "ended" }
        hasEnded = true
        return launcher.endAndDescribe(identifier)
    }
}
