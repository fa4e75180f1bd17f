// SPDX-License-Identifier: Apache-2.0

import Service

/// `POST /announcements`
struct AnnouncementBody: JSONReadable {
    private enum Music: String, CaseIterable { case duck, pause }

    static let decibels = -80.0...0

    var sound: SoundOrder
    private var music = MusicTreatment.duck(decibels: -20)
    private var priority: AnnouncementPriority
    private var output: String?
    /// The answer waits for the end.
    var waits: Bool

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json, StrictObject.soundMembers + ["music", "duck", "priority", "output", "wait"])
        waits = try object.flag("wait") ?? false
        sound = try object.sound()
        priority = try object.choice("priority", AnnouncementPriority.self) ?? .normal
        output = try object.text("output", maximum: 1024)
        let decibels = try object.number("duck", in: Self.decibels)
        switch try object.choice("music", Music.self) ?? .duck {
        case .duck: if let decibels { music = .duck(decibels: decibels) }
        case .pause:
            if decibels != nil { throw object.invalid("duck", "belongs to music: duck only") }
            music = .pause
        }
    }

    @Sendable func request(_ sound: Sound) -> AnnouncementRequest {
        AnnouncementRequest(sound, music: music, priority: priority, output: output)
    }
}

extension StrictObject {
    private static let timeouts = 1.0...600

    fileprivate static let contents = ["uri", "parts", "items"]
    static let soundMembers = contents + ["chime", "timeout", "volume"]

    /// `uri`, `parts` or `items`, possibly with a `chime`.
    func sound() throws(Problem) -> SoundOrder {
        let given = Self.contents.filter(contains)
        if given.count > 1 { throw invalid(given[1], "cannot go with \(given[0])") }
        var order = SoundOrder(try content())
        order.chime = try address("chime")
        order.volume = try number("volume", in: 0...1)
        order.timeout = try number("timeout", in: Self.timeouts)
        return order
    }

    private func content() throws(Problem) -> SoundOrder.Content {
        if let items = try list(ItemRequest.self, "items", atMost: Sound.maximumParts) { return .items(items) }
        if let parts = try list(String.self, "parts", atMost: Sound.maximumParts) {
            for (index, part) in parts.enumerated() { try check(part, "parts[\(index)]") }
            return .parts(parts)
        }
        return .address(try needed(address("uri"), "uri", "is needed, or parts, or items"))
    }

    private func address(_ name: String) throws(Problem) -> String? {
        guard let text = try text(name, maximum: ItemRequest.maximumURILength) else { return nil }
        try check(text, name)
        return text
    }

    private func check(_ uri: String, _ name: String) throws(Problem) {
        guard !uri.isEmpty else { throw invalid(name, "must not be empty") }
        guard uri.hasCodePoints(atMost: ItemRequest.maximumURILength), !uri.utf8.contains(0) else {
            throw invalid(name, "must have at most \(ItemRequest.maximumURILength) characters, and no NUL")
        }
    }
}
