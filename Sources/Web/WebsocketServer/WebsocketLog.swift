// SPDX-License-Identifier: Apache-2.0

internal import CWebsockets
internal import Logging
internal import Synchronization

/// libwebsockets has one log for the whole process; the server that started last gets it.
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
            logger.log(level: isError ? .warning : .debug, "libwebsockets: \(text.trimmingNewlines)")
        }
    }
}

extension String {
    fileprivate var trimmingNewlines: Substring {
        var text = self[...]
        while text.last?.isNewline == true { text = text.dropLast() }
        return text
    }
}
