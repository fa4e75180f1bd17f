// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Playback
internal import Synchronization

/// The workers of this process: one for each item that plays, perhaps a spare one for the next, and a few that list files one
/// after another. None runs before the first is needed, and none long after the last one.
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

    /// `path` as the user gave it; without it the program beside this one.
    public static func find(_ path: String?) -> Result<String, MissingWorker> {
        guard let place = path ?? beside() else {
            return .failure(MissingWorker(reason: "the path of this program is unknown"))
        }
        guard access(place, X_OK) == 0 else {
            return .failure(MissingWorker(reason: "\(place): \(String(cString: strerror(errno)))"))
        }
        return .success(place)
    }

    /// Has the program try what its sandbox must refuse; nil when it does, else what is wrong, in words. Blocks for as long
    /// as that takes, 10 s at most.
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

    /// For one item that is to be heard soon: the spare one, where there is one.
    func startForItem() throws(MediaError) -> WorkerProcess {
        let process = if let ready = spare.take() { ready } else { try start() }
        spare.replace()
        sweepLater()
        return process
    }

    /// A new one.
    func start() throws(MediaError) -> WorkerProcess {
        switch launcher {
        case .failure(let missing):
            throw MediaError(.unsupported, "it needs tonearm-media-worker, which is missing (\(missing.reason))")
        case .success(let launcher): return try launcher.start()
        }
    }

    private func sweepLater() {
        if case .success(let launcher) = launcher { launcher.sweepLater() }
    }

    /// For a moment, with one that others have used before and will use again unless it breaks.
    func borrow<Value>(
        for source: any ByteSource, verdict: String = "cannot be played",
        _ body: (WorkerConversation) throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        if let waiting = idle.take() {
            do throws(MediaError) {
                return try use(waiting, for: source, verdict, body)
            } catch  where error.code == .decoderFailed {
                // It may have ended while it waited, or be the worse for an earlier file.
            }
        }
        let process = try start()
        // Whoever lists files is in no hurry.
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

    /// Workers that wait for the next file.
    private final class Idle: Sendable {
        private let waiting = Mutex<[(process: WorkerProcess, since: MonotonicTime)]>([])

        func add(_ process: WorkerProcess) { waiting.withLock { $0.append((process, .now)) } }

        func take() -> WorkerProcess? { waiting.withLock { $0.popLast()?.process } }

        /// Lets go of those that have waited that long; when the next one will have.
        func sweep(after seconds: Double) -> MonotonicTime? {
            // Ended outside the lock: by the last reference to them.
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

/// Why no worker can be started here, in words.
public struct MissingWorker: Error, Hashable, Sendable {
    public var reason: String
}

/// The limits of a worker; beyond them it is ended.
public struct WorkerLimits: Hashable, Sendable {
    /// Seconds of its own for one request; waiting for the source does not count.
    public var answer = 10.0
    /// Seconds of the processor for one request, and for whatever it does unasked after it.
    public var processor = 30
    /// Seconds after which a worker that waits for the next file to be listed is ended.
    public var idle = 5.0
    /// Files that one worker lists before another takes its place.
    public var files = 200
    /// Seconds that a ready worker waits for the next item; nil: none is kept ready.
    public var spare: Double?

    public init() {}
}
