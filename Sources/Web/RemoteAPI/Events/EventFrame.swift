// SPDX-License-Identifier: Apache-2.0

import HTTP

/// One event, encoded once for all who get it.
struct EventFrame: Sendable {
    /// nil for greetings and replies, which are not chosen.
    var name: EventName?
    /// `type` of the frame.
    var type: String
    /// Place among the recorded events; nil for those that are not.
    var sequence: UInt64?
    var version: UInt64
    var bytes: SharedBytes

    /// Server-Sent Events (HTML standard, section 9.2.5); the JSON holds no line break.
    func serverSentEvent(epoch: String, into text: inout [UInt8]) {
        if let sequence { text.append(contentsOf: "id: \(epoch):\(sequence)\n".utf8) }
        text.append(contentsOf: "event: \(type)\ndata: ".utf8)
        text.append(contentsOf: bytes.bytes)
        text.append(contentsOf: "\n\n".utf8)
    }
}
