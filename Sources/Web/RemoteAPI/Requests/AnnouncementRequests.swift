// SPDX-License-Identifier: Apache-2.0

import Service

/// `POST /announcements`
struct AnnouncementBody: JSONReadable {
    private enum Music: String, CaseIterable { case duck, pause }

    static let decibels = -80.0...0

    var request: AnnouncementRequest
    /// The answer waits for its end.
    var waits: Bool

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json, ["uri", "parts", "chime", "timeout", "volume", "music", "duck", "priority", "output", "wait"])
        waits = try object.flag("wait") ?? false
        request = AnnouncementRequest(try object.sound())
        let decibels = try object.number("duck", in: Self.decibels)
        switch try object.choice("music", Music.self) ?? .duck {
        case .duck: if let decibels { request.music = .duck(decibels: decibels) }
        case .pause:
            if decibels != nil { throw object.invalid("duck", "belongs to music: duck only") }
            request.music = .pause
        }
        request.priority = try object.choice("priority", AnnouncementPriority.self) ?? .normal
        request.output = try object.text("output", maximum: 1024)
    }
}

/// `POST /sfx`
struct EffectBody: JSONReadable {
    var sound: Sound

    init(_ json: JSONNode) throws(Problem) {
        sound = try StrictObject(json, ["uri", "parts", "chime", "timeout", "volume"]).sound()
    }
}

extension StrictObject {
    private static let timeouts = 1.0...600

    /// `uri` or `parts`, perhaps with a `chime` before.
    fileprivate func sound() throws(Problem) -> Sound {
        let uri = try address("uri")
        let parts = try nested([String].self, "parts")
        guard !contains("uri") || !contains("parts") else { throw invalid("parts", "cannot go with uri") }
        guard let all = parts ?? uri.map({ [$0] }) else { throw invalid("uri", "is needed, or parts") }
        guard (1...Sound.maximumParts).contains(all.count) else {
            throw invalid("parts", "must list 1 to \(Sound.maximumParts) addresses")
        }
        for part in all { try check(part, "parts") }
        var sound = Sound(uri: all[0], volume: try number("volume", in: 0...1))
        sound.following = Array(all.dropFirst())
        sound.chime = try address("chime")
        sound.timeout = try number("timeout", in: Self.timeouts)
        return sound
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
