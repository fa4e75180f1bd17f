// SPDX-License-Identifier: Apache-2.0

import Service

/// A text message of a client.
enum ClientFrame: JSONReadable {
    /// Of an `id`, which every reply repeats.
    static let largestID = 256

    /// JSON as it was sent: every reply repeats the `id`, and the route reads the `data`.
    typealias Raw = [UInt8]

    /// What is nil stays.
    struct Wishes {
        var events: [EventName]?
        var interval: Double?
        var levelsInterval: Double?
        var bands: Int?

        func applied(to subscription: Subscription) -> Subscription {
            var changed = subscription
            changed.selection = events.map(EventSelection.init) ?? subscription.selection
            changed.interval = interval ?? subscription.interval
            changed.levelsInterval = levelsInterval ?? subscription.levelsInterval
            changed.bands = bands ?? subscription.bands
            return changed
        }
    }

    case subscribe(Wishes, id: Raw?)
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
            var wishes = Wishes()
            if let names = try object.nested([String].self, "events") { wishes.events = try Subscription.names(names) }
            if let seconds = try object.number("interval", in: -1e9...1e9) {
                wishes.interval = try Subscription.interval(seconds)
            }
            if let seconds = try object.number("levelsInterval", in: -1e9...1e9) {
                wishes.levelsInterval = try Subscription.levelsInterval(seconds)
            }
            if let number = try object.integer("bands", in: -1_000...1_000) {
                wishes.bands = try Subscription.bands(number)
            }
            self = .subscribe(wishes, id: id)
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
