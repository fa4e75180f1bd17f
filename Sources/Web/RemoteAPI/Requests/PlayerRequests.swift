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

extension StrictObject {
    /// Exactly one of the three.
    func seekTarget() throws(Problem) -> SeekTarget {
        let position = try number("position", in: mediaSeconds)
        let offset = try number("offset", in: -mediaSeconds.upperBound...mediaSeconds.upperBound)
        let progress = try number("progress", in: 0...1)
        switch (position, offset, progress) {
        case (let position?, nil, nil): return .position(position)
        case (nil, let offset?, nil): return .offset(offset)
        case (nil, nil, let progress?): return .progress(progress)
        default: throw invalid("position", "or offset or progress must be given, and only one of them")
        }
    }
}
