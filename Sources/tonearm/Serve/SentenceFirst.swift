// SPDX-License-Identifier: Apache-2.0

import Logging

/// Writes the metadata of a log line after its message; swift-log's own handler writes them before it.
struct SentenceFirst: LogHandler {
    private var lines: StreamLogHandler

    init(_ lines: StreamLogHandler) { self.lines = lines }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set { lines.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if !facts.isEmpty { event.message = "\(event.message): \(facts.joined(separator: ", "))" }
        event.metadata = nil
        lines.log(event: event)
    }
}
