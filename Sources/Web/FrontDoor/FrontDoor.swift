// SPDX-License-Identifier: Apache-2.0

internal import CLinux
public import HTTP
public import Logging
internal import Synchronization
internal import Kernel

/// The listening port: accepts connections, waits for the head of the first request, and hands the connection to the HTTP
/// server unread. Any thread.
public final class FrontDoor: Sendable {
    /// The bound port, never 0.
    public let port: UInt16
    private let loop: FrontDoorLoop
    private let thread: Mutex<NamedThread?>

    /// Listens at once, and also at the Unix socket `socket` if given. `handOver` runs on the front door's thread, must not
    /// block, and takes ownership of the descriptor.
    public init(
        host: String, port: UInt16, socket: String? = nil, limits: ConnectionLimits = ConnectionLimits(), log: Logger,
        handOver: @escaping @Sendable (IncomingConnection) -> Void
    ) throws(ListenError) {
        let sockets = try ListeningSockets(host: host, port: port)
        self.port = sockets.port
        let local: LocalSocket?
        do throws(ListenError) {
            local = try socket.map { path throws(ListenError) in try LocalSocket(path: path) }
        } catch {
            sockets.close()
            throw error
        }
        let loop = try FrontDoorLoop(
            sockets: sockets, localSocket: local, limits: limits, log: log, handOver: handOver)
        self.loop = loop
        thread = Mutex(NamedThread("front-door") { loop.run() })
    }

    deinit { close() }

    /// Open connections, including those of the servers behind the front door.
    public var connectionCount: Int { loop.count.total }

    /// Stops listening and closes the connections that were not handed over. Returns when that is done; may be called
    /// again.
    public func close() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        loop.stop()
        running.join()
    }
}
