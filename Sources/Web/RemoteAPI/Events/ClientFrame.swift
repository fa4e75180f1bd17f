// SPDX-License-Identifier: Apache-2.0

import Service

/// A text message of a client.
enum ClientFrame: JSONReadable {
    /// Of an `id`, which every reply repeats.
    static let largestID = 256

    /// JSON as it was sent: every reply repeats the `id`, and the route reads the `data`.
    typealias Raw = [UInt8]

    case subscribe(SubscriptionChange, id: Raw?)
    case command(name: String, data: Raw?, id: Raw?)

    /// The `id` of a message that is otherwise refused, so that its reply can be matched. nil when it has none, or
    /// is not JSON.
    static func id(in bytes: [UInt8]) -> Raw? {
        do {
            return try id(of: StrictObject(try JSONReader.read(bytes, limits: .message)))
        } catch {
            return nil
        }
    }

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json, ["type", "id", "command", "data", "events", "interval", "levelsInterval", "bands"])
        let id = try Self.id(of: object)
        switch try object.text("type") {
        case "subscribe":
            let change = SubscriptionChange(
                events: try object.nested([String].self, "events"),
                interval: try object.number("interval", in: -1e9...1e9),
                levelsInterval: try object.number("levelsInterval", in: -1e9...1e9),
                bands: try object.integer("bands", in: -1_000...1_000))
            self = .subscribe(change, id: id)
        case "command":
            guard let name = try object.text("command") else { throw object.invalid("command", "is needed") }
            self = .command(name: name, data: object["data"]?.raw, id: id)
        default: throw object.invalid("type", "must be subscribe or command")
        }
    }

    private static func id(of object: StrictObject) throws(Problem) -> Raw? {
        guard let id = object["id"] else { return nil }
        let raw = id.raw
        guard raw.count <= largestID else { throw object.invalid("id", "must take at most \(largestID) bytes") }
        try checkNumbers(id)
        return raw
    }

    /// Many a reader of the reply would make something else of a larger one.
    private static func checkNumbers(_ id: JSONNode) throws(Problem) {
        guard id.integer != nil || (id.number?.magnitude ?? 0) < 0x1p63 else {
            throw id.invalid("is a number too large to be repeated")
        }
        for element in id.elements { try checkNumbers(element) }
        for member in id.members { try checkNumbers(member.value) }
    }
}
