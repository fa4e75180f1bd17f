// SPDX-License-Identifier: Apache-2.0

import CWebsockets
public import HTTP
import Kernel
public import Logging
import Synchronization

/// WebSocket (RFC 6455) on libwebsockets: an application admits the clients of an HTTP server, which sends the 101 and
/// hands their connections over. Any thread.
public final class WebsocketServer: Sendable {
    private let application: any WebSocketApplication
    private let inbox: Inbox
    private let thread: Mutex<NamedThread?>

    /// Starts its thread at once. The limit of descriptors must be final: libwebsockets sizes its tables by it. After
    /// `pingSeconds` of silence a client is pinged; it has a third of that time to answer.
    public init(
        application: any WebSocketApplication, pingSeconds: Int = 30, log: Logger
    ) throws(WebsocketError) {
        let readiness = try Readiness()
        let inbox = Inbox(readiness: readiness)
        let loop = try WebsocketLoop(
            application: application, inbox: inbox, readiness: readiness, pingSeconds: pingSeconds, log: log)
        self.application = application
        self.inbox = inbox
        application.opened { inbox.wakeTimer() }
        thread = Mutex(NamedThread("websockets") { loop.run() })
    }

    deinit { stop() }

    /// Closes all connections with 1001 and joins the thread; clients that do not answer are cut off after a second.
    /// May be called again.
    public func stop() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        inbox.stop()
        running.join()
    }
}

extension WebsocketServer: HTTPUpgrader {
    public func upgrade(_ request: HTTPRequest) -> HTTPResponse {
        let key = request.headers["Sec-WebSocket-Key"] ?? ""
        if let refusal = Handshake.refusal(of: request, key: key) { return refusal }
        switch application.accept(request) {
        case .refused(let response): return response
        case .accepted(let session, let subprotocol):
            return HTTPResponse(
                status: 101, headers: Handshake.headers(key: key, subprotocol: subprotocol),
                body: .upgrade { [inbox] connection in inbox.post(Arrival(connection: connection, session: session)) })
        }
    }
}

public enum WebsocketError: Error, Sendable {
    /// libwebsockets made no context; the log has the reason.
    case notStarted
}

/// libwebsockets has one log for the whole process; the last started server gets it.
enum WebsocketLog {
    private static let log = Mutex<Logger?>(nil)

    static func install(_ logger: Logger) {
        log.withLock { $0 = logger }
        cwebsockets_log_to { level, line in
            guard let line else { return }
            let text = String(cString: line)
            // Logged at error level for every connection that is adopted with bytes.
            let isNoise = text.contains("adopt_socket_readbuf")
            let isError = cwebsockets_is_error(level) != 0 && !isNoise
            guard let logger = WebsocketLog.log.withLock(\.self) else { return }
            logger.log(level: isError ? .warning : .debug, "libwebsockets: \(text.prefix { !$0.isNewline })")
        }
    }
}
