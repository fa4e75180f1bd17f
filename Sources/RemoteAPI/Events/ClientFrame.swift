// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A text message of a client.
enum ClientFrame: Decodable {
    /// Of an `id`, which every reply repeats.
    static let largestID = 256

    case subscribe(events: [EventName]?, interval: Double?, id: JSONValue?)
    case command(name: String, data: JSONValue?, id: JSONValue?)

    /// The `id` of a message that is otherwise not understood, so that its reply can be told from others.
    static func id(in bytes: [UInt8]) -> JSONValue? {
        struct Identified: Decodable {
            var id: JSONValue?
        }
        guard JSONFault.first(in: bytes) != .tooDeep else { return nil }
        do {
            let id = try JSONDecoder().decode(Identified.self, from: Data(bytes)).id
            return id.map { $0.bytes.count <= largestID } == true ? id : nil
        } catch {
            // Then it has none that anyone could read.
            return nil
        }
    }

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["type", "id", "command", "data", "events", "interval"])
        let id = try object.nested(JSONValue.self, "id")
        guard id.map({ $0.bytes.count <= Self.largestID }) ?? true else {
            throw object.invalid("id", "must take at most \(Self.largestID) bytes")
        }
        switch try object.text("type") {
        case "subscribe":
            let interval = try object.number("interval", in: -1e9...1e9)
            self = .subscribe(
                events: try object.nested([String].self, "events").map { try Subscription.names($0) },
                interval: try interval.map { try Subscription.interval($0) }, id: id)
        case "command":
            guard let name = try object.text("command") else { throw object.invalid("command", "is needed") }
            self = .command(name: name, data: try object.nested(JSONValue.self, "data"), id: id)
        default: throw object.invalid("type", "must be subscribe or command")
        }
    }
}
