// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// Seconds that a media can have: up to 10,000 hours.
let mediaSeconds = 0.0...36_000_000.0

/// `POST /player/play`
struct PlayRequest: JSONReadable {
    var target: PlayTarget
    var position: Double?
    /// Milliseconds since the epoch; nil: at once.
    var at: Int64?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["itemId", "index", "position", "at"])
        at = try object.integer("at", in: StrictObject.times).map { Int64($0) }
        position = try object.number("position", in: mediaSeconds)
        let index = try object.integer("index", in: 0...Queue.maximumLength)
        if let text = try object.text("itemId") {
            guard index == nil else { throw object.invalid("index", "cannot be given together with itemId") }
            guard let id = ItemID(text) else { throw .unknownItem(text) }
            target = .item(id)
        } else {
            target = index.map { .index($0) } ?? .current
        }
    }
}

/// `POST /player/stop`
struct StopRequest: JSONReadable {
    var drain: Bool

    init(_ json: JSONNode) throws(Problem) {
        drain = try StrictObject(json, ["drain"]).flag("drain") ?? false
    }
}

/// `POST /player/seek`: exactly one of the three.
struct SeekRequest: JSONReadable {
    var target: SeekTarget

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["position", "offset", "progress"])
        let position = try object.number("position", in: mediaSeconds)
        let offset = try object.number("offset", in: -mediaSeconds.upperBound...mediaSeconds.upperBound)
        let progress = try object.number("progress", in: 0...1)
        switch (position, offset, progress) {
        case (let position?, nil, nil): target = .position(position)
        case (nil, let offset?, nil): target = .offset(offset)
        case (nil, nil, let progress?): target = .progress(progress)
        default: throw object.invalid("position", "or offset or progress must be given, and only one of them")
        }
    }
}

/// `POST /player/scan`
struct ScanRequest: JSONReadable {
    var rate: Double

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["rate"])
        rate = try object.needed(
            object.number("rate", in: -32...32), "rate", "is needed: -32...32, how many times the normal speed")
        guard rate != 0, rate != 1 else { throw object.invalid("rate", "cannot be 0 or 1") }
    }
}

/// `PUT /outputs/current`
struct OutputRequest: JSONReadable {
    /// nil follows the default device again.
    var id: String?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["id"])
        guard object.contains("id") else { throw object.invalid("id", "is needed: an output's id, or null") }
        id = try object.text("id")
    }
}
