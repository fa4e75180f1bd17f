// SPDX-License-Identifier: Apache-2.0

import Announcing

/// `POST /announcements`
struct AnnouncementBody: JSONReadable {
    private enum Music: String, CaseIterable { case duck, pause }

    static let decibels = -80.0...0

    var request: AnnouncementRequest

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["uri", "volume", "music", "duck", "priority", "output"])
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
        sound = try StrictObject(json, ["uri", "volume"]).sound()
    }
}

extension StrictObject {
    fileprivate func sound() throws(Problem) -> Sound {
        guard let uri = try text("uri", maximum: ItemRequest.maximumURILength), !uri.isEmpty else {
            throw invalid("uri", "is needed and must not be empty")
        }
        return Sound(uri: uri, volume: try number("volume", in: 0...1))
    }
}
