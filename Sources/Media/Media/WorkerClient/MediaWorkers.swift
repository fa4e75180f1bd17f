// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Playback
internal import Synchronization

/// The worker processes of this server: one for each item that plays, optionally a spare one, and a few that examine files one after
/// another. Workers are started on demand and end soon after their last use.
public final class MediaWorkers: Sendable {
    public let limits: WorkerLimits
    private let idle: Idle
    private let spare: SpareWorker
    private let launcher: Result<WorkerLauncher, MissingWorker>

    public init(_ program: Result<String, MissingWorker>, limits: WorkerLimits = WorkerLimits()) {
        self.limits = limits
        let idle = Idle()
        self.idle = idle
        let spare = SpareWorker(patience: limits.spare)
        self.spare = spare
        launcher = program.map { path in
            WorkerLauncher(path: path) { start in
                [idle.sweep(after: limits.idle), spare.sweep(start: start)].compactMap(\.self).min()
            }
        }
    }

    /// Finds the worker program: `path` as given, or the program next to this one.
    public static func find(_ path: String?) -> Result<String, MissingWorker> {
        guard let place = path ?? beside() else {
            return .failure(MissingWorker(reason: "the path of this program is unknown"))
        }
        guard access(place, X_OK) == 0 else {
            return .failure(MissingWorker(reason: "\(place): \(String(cString: strerror(errno)))"))
        }
        return .success(place)
    }

    /// Makes the program try everything that its sandbox must refuse. Returns nil if the sandbox holds, else the problem in words. Blocks
    /// for up to 10 s.
    public static func trySandbox(_ path: String) -> String? {
        let launcher = WorkerLauncher(path: path) { _ in nil }
        do throws(MediaError) {
            let status = try launcher.run("--sandbox-trial", seconds: 10)
            switch status {
            case 0: return nil
            case 77 << 8: return "could not set up its sandbox (seccomp)"
            case nil: return "did not end within 10 s"
            case .some(let status) where status & 0x7F == 0: return "found a hole in its sandbox"
            case .some(let status): return "ended by signal \(status & 0x7F)"
            }
        } catch {
            return error.message
        }
    }

    /// A worker for an item that plays soon: the spare one, if there is one.
    func startForItem() throws(MediaError) -> WorkerProcess {
        let process = if let ready = spare.take() { ready } else { try start() }
        spare.replace()
        sweepLater()
        return process
    }

    func start() throws(MediaError) -> WorkerProcess {
        try launcher.mapError { missing in
            MediaError(.unsupported, "it needs tonearm-media-worker, which is missing (\(missing.reason))")
        }.get().start()
    }

    private func sweepLater() {
        if case .success(let launcher) = launcher { launcher.sweepLater() }
    }

    /// Lends an idle worker to `body`, or a new one. It becomes idle again unless it fails.
    func borrow<Value>(
        for source: any ByteSource, verdict: String = "cannot be played",
        _ body: (WorkerConversation) throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        if let waiting = idle.take() {
            do throws(MediaError) {
                return try use(waiting, for: source, verdict, body)
            } catch  where error.code == .decoderFailed {
                // The idle worker may have died, or an earlier file may have damaged it: try a new one.
            }
        }
        let process = try start()
        // Examining files is not urgent.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.identifier), 10)
        return try use(process, for: source, verdict, body)
    }

    private func use<Value>(
        _ process: WorkerProcess, for source: any ByteSource, _ verdict: String,
        _ body: (WorkerConversation) throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        let conversation = WorkerConversation(process, source, limits, verdict: verdict)
        defer {
            if conversation.isSound, process.files < limits.files {
                idle.add(process)
                sweepLater()
            }
        }
        return try body(conversation)
    }

    private static func beside() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] + "/tonearm-media-worker" }
    }

    /// Workers waiting for the next file.
    private final class Idle: Sendable {
        private let waiting = Mutex<[(process: WorkerProcess, since: MonotonicTime)]>([])

        func add(_ process: WorkerProcess) { waiting.withLock { $0.append((process, .now)) } }

        func take() -> WorkerProcess? { waiting.withLock { $0.popLast()?.process } }

        /// Ends workers that have been idle for `seconds`. Returns when the next one is due.
        func sweep(after seconds: Double) -> MonotonicTime? {
            // Releasing the last references, outside the lock, ends the workers.
            let (old, next) = waiting.withLock { waiting in
                let now = MonotonicTime.now
                let old = waiting.filter { $0.since.advanced(bySeconds: seconds) <= now }
                waiting.removeAll { $0.since.advanced(bySeconds: seconds) <= now }
                return (old, waiting.map { $0.since.advanced(bySeconds: seconds) }.min())
            }
            _ = old
            return next
        }
    }
}

/// The reason why no worker can be started.
public struct MissingWorker: Error, Hashable, Sendable {
    public var reason: String
}

/// Limits of a worker, which is ended beyond them.
public struct WorkerLimits: Hashable, Sendable {
    /// Seconds for one request, without the time that it waits for the source.
    public var answer = 10.0
    /// CPU seconds from one request to the next.
    public var processor = 30
    /// Seconds after which an idle worker is ended.
    public var idle = 5.0
    /// Files that one worker examines before it is replaced.
    public var files = 200
    /// Seconds for which a spare worker waits for an item; nil: no spare worker.
    public var spare: Double?

    public init() {}
}
