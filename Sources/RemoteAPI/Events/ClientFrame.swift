// SPDX-License-Identifier: Apache-2.0

/// A text message of a client.
enum ClientFrame: JSONReadable {
    /// Of an `id`, which every reply repeats.
    static let largestID = 256

    /// JSON as it was sent: every reply repeats the `id`, and the route reads the `data`.
    typealias Raw = [UInt8]

    case subscribe(events: [EventName]?, interval: Double?, id: Raw?)
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
        let object = try StrictObject(json, ["type", "id", "command", "data", "events", "interval"])
        let id = try Self.id(of: object)
        switch try object.text("type") {
        case "subscribe":
            let interval = try object.number("interval", in: -1e9...1e9)
            let events = try object.nested([String].self, "events")
            self = .subscribe(
                events: try events.map { names throws(Problem) in try Subscription.names(names) },
                interval: try interval.map { seconds throws(Problem) in try Subscription.interval(seconds) }, id: id)
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
