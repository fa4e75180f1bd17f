// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
public import HTTP
public import Logging
internal import Synchronization
internal import Kernel

/// HTTP/1.1 on libmicrohttpd, for accepted connections. Any thread.
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

    /// Takes over a connection and its descriptor. A server that is stopping closes it.
    public func adopt(_ connection: IncomingConnection) {
        daemon.withLock { daemon in
            guard let daemon else {
                close(connection.descriptor)
                return
            }
            core.arrivals.withLock { $0[connection.descriptor] = connection }
            if !daemon.add(connection.descriptor) {
                // libmicrohttpd has closed it already.
                core.arrivals.withLock { $0[connection.descriptor] = nil }
            }
        }
    }

    /// Ends streams, replies to waiting requests with 503, closes all connections and joins the threads. May be called
    /// again.
    public func stop() {
        guard let running = daemon.withLock({ $0.take() }) else { return }
        core.exchanges.endAll()
        // Waits for replies that are resuming their connections.
        while core.resumes.load(ordering: .acquiring) > 0 { sched_yield() }
        running.stop()
        core.cache.removeAll()
        core.arrivals.withLock { $0.removeAll() }
    }
}

public struct MicrohttpdConfiguration: Sendable {
    /// Defaults to the number of cores.
    public var threads = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    public var connectionLimit = 10_240
    /// Bytes of a request's body; a larger one is refused with 413.
    public var bodyLimit = 32 << 20
    /// Bytes of all large bodies until their replies; further ones are refused with 503.
    public var bodyMemory = ByteBudget.bodies.limit
    /// Bytes of all large responses until they are sent; further ones are replaced by 503.
    public var answerMemory = ByteBudget.answers.limit
    /// Seconds without traffic after which a connection is closed.
    public var idleSeconds = 75
    /// A client that closes its sending half within this time after its request still waits for the response (`nc -N`); one
    /// that does so later has given up.
    public var halfCloseSeconds = 0.1

    public init() {}
}

public enum MicrohttpdError: Error, Sendable {
    /// libmicrohttpd started no daemon; the log has the reason.
    case notStarted
}

/// The data shared by the callbacks. Outlives the daemon, which has an unowned reference to it.
final class ServerCore: Sendable {
    let configuration: MicrohttpdConfiguration
    let log: Logger
    let responder: any HTTPResponder
    let upgrader: (any HTTPUpgrader)?
    /// Connections that libmicrohttpd has not started yet, by descriptor.
    let arrivals = Mutex<[Int32: IncomingConnection]>([:])
    let exchanges = ExchangeRegistry()
    /// The number of connections that are about to be resumed with their reply.
    let resumes = Atomic(0)
    let bodies: Mutex<ByteBudget>
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
