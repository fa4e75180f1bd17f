// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import MediaWorkerProtocol
internal import Playback

/// Starts worker processes, ends them and collects what is left of them.
///
/// On a thread of its own, because the kernel ends a worker when the thread that started it ends (PR_SET_PDEATHSIG): no
/// worker survives the server, and none dies with a decode thread. The thread begins with the first worker.
final class WorkerLauncher: Sendable {
    private enum Order: Sendable {
        case start(@Sendable (Result<WorkerProcess, MediaError>) -> Void)
        case end(pid_t, (@Sendable (String) -> Void)?)
        case sweep
    }

    private let path: String
    private let orders = Mailbox<Order>()
    private let isRunning = Monitor(false)
    /// Called when it was due, and whenever something was started or ended; returns when to call it again. `start` gives
    /// one more worker, nil when there can be none.
    private let sweep: @Sendable (_ start: () -> WorkerProcess?) -> MonotonicTime?

    init(path: String, sweep: @escaping @Sendable (_ start: () -> WorkerProcess?) -> MonotonicTime?) {
        self.path = path
        self.sweep = sweep
    }

    /// Blocks until there is one, some tens of milliseconds at most.
    func start() throws(MediaError) -> WorkerProcess {
        let result = Monitor<Result<WorkerProcess, MediaError>?>(nil)
        guard begin() else {
            throw MediaError(
                .decoderFailed, "a decoder cannot be started: the machine lets the server have no more threads")
        }
        orders.post(.start { started in result.change { $0 = started } })
        return try result.wait { $0 }.get()
    }

    /// Runs the program to its end, from this thread; its status as of wait(2), nil when it took longer.
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
        var status: Int32 = 0
        if hasEnded != 1 { kill(process, SIGKILL) }
        waitpid(process, &status, 0)
        if hasEnded < 0 { throw MediaError(.decoderFailed, "cannot be watched: \(String(cString: strerror(failure)))") }
        return hasEnded == 1 ? status : nil
    }

    /// Returns at once.
    func end(_ process: pid_t) { orders.post(.end(process, nil)) }

    /// Blocks until it has ended.
    func endAndWait(_ process: pid_t) -> String {
        let result = Monitor<String?>(nil)
        orders.post(.end(process) { text in result.change { $0 = text } })
        return result.wait { $0 }
    }

    /// The same of one that closed its socket, and how it ended: most likely it is about to, which is waited for here
    /// and not by the thread that starts others.
    func endAndDescribe(_ process: pid_t) -> String {
        let hasEnded = clinux_wait_for_end(process, 100) == 1
        let text = endAndWait(process)
        return hasEnded ? text : "closed its connection, and was ended"
    }

    /// Has `sweep` called soon.
    func sweepLater() { orders.post(.sweep) }

    /// With the first worker: every other order is about one that was started. False when there can be no thread.
    private func begin() -> Bool {
        isRunning.withLock { isRunning in
            if isRunning { return true }
            // Workers hold on to this launcher, so the thread is there as long as one of them is.
            guard let thread = NamedThread(ifPossible: "media-workers", { self.run() }) else { return false }
            thread.detach()
            isRunning = true
            return true
        }
    }

    private func run() {
        while true {
            let next = sweep { spare() }
            for order in orders.take(until: next) {
                switch order {
                case .start(let answer): answer(spawn())
                case .end(let process, let answer): collect(process, answer)
                case .sweep: break
                }
            }
        }
    }

    /// Nobody else waits for children of this process, so the number is its own until then.
    private func collect(_ process: pid_t, _ answer: (@Sendable (String) -> Void)?) {
        var status: Int32 = 0
        // Without effect on one that has ended.
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        answer?(Self.describe(status))
    }

    private static func describe(_ status: Int32) -> String {
        let signal = status & 0x7F
        guard signal == 0 else { return "was killed by signal \(signal) (\(String(cString: strsignal(signal))))" }
        let code = status >> 8 & 0xFF
        return code == 77 ? "could not set up its sandbox" : "ended by itself with status \(code)"
    }

    private func spare() -> WorkerProcess? {
        guard case .success(let process) = spawn() else { return nil }
        return process
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

    /// With an empty environment, no descriptor but its own, no signal blocked, and in a process group of its own, so that
    /// Ctrl-C at a terminal ends the server first.
    private func spawn(
        _ process: inout pid_t, socket: Int32, memory: Int32, argument: String? = nil
    ) -> Int32 {
        // Out of the way of the numbers that they get in the worker.
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
