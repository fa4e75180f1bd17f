// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import MediaWorkerProtocol
internal import Playback

/// Starts, ends and reaps worker processes.
///
/// Has a thread of its own, because the kernel kills a worker when the thread that started it ends (PR_SET_PDEATHSIG). So no worker
/// outlives the server, and none dies with a decode thread. The thread starts with the first worker.
final class WorkerLauncher: Sendable {
    private enum Order: Sendable {
        case start(@Sendable (Result<WorkerProcess, MediaError>) -> Void)
        case end(pid_t, (@Sendable (String) -> Void)?)
        case sweep
    }

    private let path: String
    private let orders = Mailbox<Order>()
    private let isRunning = Monitor(false)
    /// Called when due, and after each start or end of a worker. Returns when to call it again. `start` starts another worker; nil if
    /// that fails.
    private let sweep: @Sendable (_ start: () -> WorkerProcess?) -> MonotonicTime?

    init(path: String, sweep: @escaping @Sendable (_ start: () -> WorkerProcess?) -> MonotonicTime?) {
        self.path = path
        self.sweep = sweep
    }

    /// Starts a worker. Blocks for tens of milliseconds at most.
    func start() throws(MediaError) -> WorkerProcess {
        let result = Monitor<Result<WorkerProcess, MediaError>?>(nil)
        guard begin() else {
            throw MediaError(
                .decoderFailed, "a decoder cannot be started: the machine lets the server have no more threads")
        }
        orders.post(.start { started in result.change { $0 = started } })
        return try result.wait { $0 }.get()
    }

    /// Runs the program to its end, started by the calling thread. Returns its status as of wait(2); nil after a timeout.
    func run(_ argument: String, seconds: Double) throws(MediaError) -> Int32? {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { throw Self.failure("/dev/null") }
        defer { close(null) }
        var process: pid_t = 0
        let code = spawn(&process, socket: null, memory: null, argument: argument)
        guard code == 0 else {
            throw MediaError(.decoderFailed, "cannot be started: \(String(cString: strerror(code)))")
        }
        let hasEnded = clinux_wait_for_end(process, Int32(clamping: seconds * 1_000))
        let failure = errno
        let status = Self.reap(process)
        if hasEnded < 0 { throw MediaError(.decoderFailed, "cannot be watched: \(String(cString: strerror(failure)))") }
        return hasEnded == 1 ? status : nil
    }

    /// Ends a worker. Returns at once.
    func end(_ process: pid_t) { orders.post(.end(process, nil)) }

    /// Ends a worker, blocks until it has ended, and describes how it ended.
    func endAndWait(_ process: pid_t) -> String {
        let result = Monitor<String?>(nil)
        orders.post(.end(process) { text in result.change { $0 = text } })
        return result.wait { $0 }
    }

    /// As `endAndWait`, for a worker that has closed its socket: most likely it is about to end by itself. The calling thread waits for
    /// that, so as not to delay the starts of other workers.
    func endAndDescribe(_ process: pid_t) -> String {
        let hasEnded = clinux_wait_for_end(process, 100) == 1
        let text = endAndWait(process)
        return hasEnded ? text : "closed its connection, and was ended"
    }

    /// Schedules a call of `sweep`.
    func sweepLater() { orders.post(.sweep) }

    /// Starts the thread. False if that fails. Only `start` needs this: all other orders concern a worker that was started.
    private func begin() -> Bool {
        isRunning.withLock { isRunning in
            if isRunning { return true }
            // Workers retain this launcher, so the thread lives at least as long as they do.
            guard let thread = NamedThread(ifPossible: "media-workers", { self.run() }) else { return false }
            thread.detach()
            isRunning = true
            return true
        }
    }

    private func run() {
        while true {
            let next = sweep { if case .success(let process) = spawn() { process } else { nil } }
            for order in orders.take(until: next) {
                switch order {
                case .start(let answer): answer(spawn())
                case .end(let process, let answer):
                    let status = Self.reap(process)
                    answer?(Self.describe(status))
                case .sweep: break
                }
            }
        }
    }

    /// Kills and reaps a worker. Returns its status as of wait(2). Nothing else reaps children of this process, so the pid is valid
    /// until then.
    private static func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        // No effect if it has ended.
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func describe(_ status: Int32) -> String {
        let signal = status & 0x7F
        guard signal == 0 else { return "was killed by signal \(signal) (\(String(cString: strsignal(signal))))" }
        let code = status >> 8 & 0xFF
        return code == 77 ? "could not set up its sandbox" : "ended by itself with status \(code)"
    }

    private func spawn() -> Result<WorkerProcess, MediaError> {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            return .failure(Self.failure("socketpair"))
        }
        let (own, other) = (pair[0], pair[1])
        defer { close(other) }
        let shared = clinux_shared_memory("tonearm-media", SharedMemory.size)
        guard shared >= 0 else {
            defer { close(own) }
            return .failure(Self.failure("memfd_create"))
        }
        defer { close(shared) }
        let memory = mmap(nil, SharedMemory.size, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0)
        guard let memory, memory != MAP_FAILED else {
            defer { close(own) }
            return .failure(Self.failure("mmap"))
        }
        var process: pid_t = 0
        let code = spawn(&process, socket: other, memory: shared)
        guard code == 0 else {
            close(own)
            munmap(memory, SharedMemory.size)
            return .failure(MediaError(.decoderFailed, "\(path) cannot be started: \(String(cString: strerror(code)))"))
        }
        return .success(WorkerProcess(process, socket: own, memory: memory, launcher: self))
    }

    /// Spawns the program with an empty environment, only its own descriptors, no blocked signals, and in its own process group, so that
    /// Ctrl-C at a terminal ends the server first.
    private func spawn(
        _ process: inout pid_t, socket: Int32, memory: Int32, argument: String? = nil
    ) -> Int32 {
        // Move the descriptors away from the numbers that they get in the worker.
        let high = (socket: fcntl(socket, F_DUPFD_CLOEXEC, 16), memory: fcntl(memory, F_DUPFD_CLOEXEC, 16))
        defer {
            if high.socket >= 0 { close(high.socket) }
            if high.memory >= 0 { close(high.memory) }
        }
        guard high.socket >= 0, high.memory >= 0 else { return errno }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        posix_spawn_file_actions_adddup2(&actions, high.socket, SharedMemory.socketDescriptor)
        posix_spawn_file_actions_adddup2(&actions, high.memory, SharedMemory.memoryDescriptor)
        clinux_close_from(&actions, SharedMemory.memoryDescriptor + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments = [strdup(path), argument.flatMap { strdup($0) }, nil]
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        return posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
    }

    private static func failure(_ call: String) -> MediaError {
        MediaError(.decoderFailed, "a decoder cannot be started: \(call): \(String(cString: strerror(errno)))")
    }
}
