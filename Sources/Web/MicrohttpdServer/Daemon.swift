// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc
internal import HTTP

/// The running libmicrohttpd and its callbacks.
///
/// `@unchecked Sendable` because libmicrohttpd accepts connections and can be stopped on any thread.
final class Daemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    private let core: ServerCore

    init(core: ServerCore) throws(MicrohttpdError) {
        let configuration = core.configuration
        var settings = cmicrohttpd_configuration()
        settings.threads = UInt32(configuration.threads)
        // Each thread of the pool gets an equal share of the limit, but connections are distributed unevenly, by descriptor.
        settings.connection_limit = UInt32(configuration.connectionLimit * (configuration.threads > 1 ? 2 : 1))
        settings.idle_seconds = UInt32(configuration.idleSeconds)
        settings.connection_memory = 32 * 1024
        settings.context = Unmanaged.passUnretained(core).toOpaque()
        settings.uri = { context, uri, _ in
            // NULL or empty if the request line is malformed, which is rejected before the handler is called.
            let target = uri.map { String(cString: $0) } ?? ""
            if let uri { cmicrohttpd_join_arguments(uri) }
            return Unmanaged.passRetained(Exchange(target: target, core: serverCore(context!))).toOpaque()
        }
        settings.handler = { context, connection, _, method, version, upload, uploadSize, requestContext in
            guard let opaque = requestContext?.pointee, let connection, let method, let version, let uploadSize else {
                return cmicrohttpd_no
            }
            let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
            return exchange.advance(
                connection, method: method, version: version, upload: upload, uploadSize: uploadSize)
        }
        settings.completed = { _, connection, requestContext, _ in
            guard let connection, let requestContext, let opaque = requestContext.pointee else { return }
            let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
            requestContext.pointee = nil
            exchange.completed(connection)
        }
        settings.notify = { context, connection, socketContext, code in
            guard let context, let connection, let socketContext else { return }
            switch cmicrohttpd_notification(code) {
            case 1:
                let descriptor = cmicrohttpd_descriptor(connection)
                let arrival = serverCore(context).arrivals.withLock { $0.removeValue(forKey: descriptor) }
                guard let arrival else { return }
                socketContext.pointee = Unmanaged.passRetained(Client(arrival)).toOpaque()
            case -1:
                guard let client = socketContext.pointee else { return }
                socketContext.pointee = nil
                Unmanaged<Client>.fromOpaque(client).release()
            default: break
            }
        }
        settings.log = { context, format, arguments in
            guard let context, let format, let arguments else { return }
            var text = [CChar](repeating: 0, count: 512)
            vsnprintf(&text, text.count, format, arguments)
            let line = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            serverCore(context).log.debug("libmicrohttpd: \(line)")
        }
        guard let daemon = cmicrohttpd_start(&settings) else { throw .notStarted }
        self.daemon = daemon
        self.core = core
    }

    /// False if libmicrohttpd refused the connection, and closed the descriptor.
    func add(_ descriptor: Int32) -> Bool {
        // libmicrohttpd needs the address only for its own limit by address, which is off.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(daemon, descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == cmicrohttpd_yes
            }
        }
    }

    /// No connection may be suspended any more.
    func stop() {
        MHD_stop_daemon(daemon)
    }
}

/// The data of a connection for as long as libmicrohttpd owns it.
final class Client: Sendable {
    let peer: HTTPPeer
    let lease: ConnectionLease

    static func of(_ connection: OpaquePointer) -> Client? {
        cmicrohttpd_connection_context(connection).map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
    }

    init(_ connection: IncomingConnection) {
        peer = connection.peer
        lease = connection.lease
    }
}

private func serverCore(_ context: UnsafeMutableRawPointer) -> ServerCore {
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
}
