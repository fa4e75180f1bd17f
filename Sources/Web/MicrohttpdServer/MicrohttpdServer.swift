// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
public import HTTP
public import Logging
internal import Synchronization
public import Kernel

/// HTTP/1.1 on libmicrohttpd: connections come from outside, requests go to a responder. Any thread.
public final class MicrohttpdServer: Sendable {
    private let core: ServerCore
    private let daemon: Mutex<Daemon?>

    /// Starts the threads at once; `responder` and `upgrader` are called on them. Without an upgrader, `Upgrade` is ignored.
    public init(
        configuration: MicrohttpdConfiguration = .init(), log: Logger, responder: any HTTPResponder,
        upgrader: (any HTTPUpgrader)? = nil
    ) throws(MicrohttpdError) {
        let core = ServerCore(configuration: configuration, log: log, responder: responder, upgrader: upgrader)
        self.core = core
        daemon = Mutex(try Daemon(core: core))
    }

    deinit { stop() }

    /// Takes over a connection, its descriptor included, also when it is refused because the server stops.
    public func adopt(_ connection: IncomingConnection) {
        daemon.withLock { daemon in
            guard let daemon else {
                close(connection.descriptor)
                return
            }
            core.arrivals.withLock { $0[connection.descriptor] = connection }
            if !daemon.add(connection.descriptor) {
                // Closed by libmicrohttpd already.
                core.arrivals.withLock { $0[connection.descriptor] = nil }
            }
        }
    }

    /// Ends streams, answers what waits with 503, closes all connections and joins the threads. Harmless when repeated.
    public func stop() {
        let running = daemon.withLock { daemon in
            defer { daemon = nil }
            return daemon
        }
        guard let running else { return }
        core.exchanges.endAll()
        // Connections that other replies are just bringing back.
        while core.resumes.load(ordering: .acquiring) > 0 { sched_yield() }
        running.stop()
        core.cache.removeAll()
        core.arrivals.withLock { $0.removeAll() }
    }
}

public struct MicrohttpdConfiguration: Sendable {
    /// As many as cores by default.
    public var threads: Int
    public var connectionLimit: Int
    /// Of a request's body; 413 beyond.
    public var bodyLimit: Int
    /// Of all large bodies that are read or wait for their answer together; 503 beyond.
    public var bodyMemory: Int
    /// Of all large answers that are not sent yet; 503 beyond.
    public var answerMemory: Int
    /// Without any byte in either direction.
    public var idleSeconds: Int
    /// A client that ends what it sends so soon behind its request waits for the answer (`nc -N`); one that does it later has
    /// given up.
    public var halfCloseSeconds: Double

    public init(
        threads: Int? = nil, connectionLimit: Int = 10_240,
        bodyLimit: Int = 32 << 20, bodyMemory: Int = ByteBudget.bodies.limit,
        answerMemory: Int = ByteBudget.answers.limit, idleSeconds: Int = 75, halfCloseSeconds: Double = 0.1
    ) {
        self.threads = threads ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        self.connectionLimit = connectionLimit
        self.bodyLimit = bodyLimit
        self.bodyMemory = bodyMemory
        self.answerMemory = answerMemory
        self.idleSeconds = idleSeconds
        self.halfCloseSeconds = halfCloseSeconds
    }
}

public enum MicrohttpdError: Error, Sendable {
    /// libmicrohttpd started no daemon; the log has the reason.
    case notStarted
}

/// What the callbacks share. Lives as long as the daemon, which refers to it without owning it.
final class ServerCore: Sendable {
    let configuration: MicrohttpdConfiguration
    let log: Logger
    let responder: any HTTPResponder
    let upgrader: (any HTTPUpgrader)?
    /// Handed to the daemon but not yet begun by it, by descriptor.
    let arrivals = Mutex<[Int32: IncomingConnection]>([:])
    let exchanges = ExchangeRegistry()
    /// Connections that have their reply and are about to be resumed.
    let resumes = Atomic(0)
    /// Large bodies.
    let bodies: Mutex<ByteBudget>
    /// Large answers, until they are sent.
    let answers: Mutex<HeldAnswers>
    let cache = ResponseCache()

    init(
        configuration: MicrohttpdConfiguration, log: Logger, responder: any HTTPResponder,
        upgrader: (any HTTPUpgrader)?
    ) {
        self.upgrader = upgrader
        self.configuration = configuration
        self.log = log
        self.responder = responder
        bodies = Mutex(ByteBudget(limit: configuration.bodyMemory))
        answers = Mutex(HeldAnswers(budget: ByteBudget(limit: configuration.answerMemory)))
    }
}
