// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

extension JSONBody {
    /// `POST /queue/items`
    func insertion() throws(Problem) -> Addition {
        try addition("position") { object throws(Problem) in
            .insert(try object.nested(Position.self, "position")?.point ?? .end)
        }
    }

    /// `PUT /queue`
    func replacement() throws(Problem) -> Addition {
        try addition("index") { object throws(Problem) in
            .replace(current: try object.integer("index", in: 0...Queue.maximumLength))
        }
    }

    /// `member`: where the items go.
    private func addition(
        _ member: String, _ place: (StrictObject) throws(Problem) -> Addition.Place
    ) throws(Problem) -> Addition {
        let tooLong = Problem(PlaybackError(.queueFull, "The queue holds at most \(Queue.maximumLength) items."))
        return try list("items", of: ItemRequest.self, atMost: Queue.maximumLength, tooLong) {
            json, items throws(Problem) in
            let object = try StrictObject(json, ["items", member, "play"] + AddingRules.members)
            _ = try object.needed(
                object.nested([ItemRequest].self, "items"), "items",
                "is needed: a list of {uri}, {folder}, {album}, {artist}, {track}, {genre} or {playlist}")
            return Addition(
                items, try place(object), plays: try object.flag("play") ?? false, rules: try AddingRules(object))
        }
    }

    /// `POST /queue/move`
    func move() throws(Problem) -> QueueEdit {
        try itemIDs(and: ["position"]) { object, ids throws(Problem) in
            let position = try object.integer("position", in: 0...Queue.maximumLength)
            return .move(
                ids, to: try object.needed(position, "position", "is needed: the index that the first item gets"))
        }
    }

    /// `POST /queue/remove`
    func removal() throws(Problem) -> QueueEdit { try itemIDs { _, ids in .remove(ids) } }

    /// Ids of items in the queue, without duplicates.
    private func itemIDs(
        and others: [String] = [], _ make: (StrictObject, [ItemID]) throws(Problem) -> QueueEdit
    ) throws(Problem) -> QueueEdit {
        let tooLong = Problem.invalid("ids", "ids holds more than \(Queue.maximumLength) ids.")
        return try list("ids", of: ItemID.self, atMost: Queue.maximumLength, tooLong) { json, ids throws(Problem) in
            let object = try StrictObject(json, ["ids"] + others)
            _ = try object.needed(object.nested([ItemID].self, "ids"), "ids", "is needed: a list of ids")
            var seen: Set<ItemID> = []
            return try make(object, ids.filter { seen.insert($0).inserted })
        }
    }
}

/// Where items are inserted.
private struct Position: JSONReadable {
    var point: InsertionPoint

    init(_ json: JSONNode) throws(Problem) {
        switch (json.string, json.integer) {
        case ("next", _): point = .next
        case ("end", _): point = .end
        case (_, let index?) where (0...Queue.maximumLength).contains(index): point = .index(index)
        default: throw json.invalid("must be an index from 0 on, \"next\" or \"end\"")
        }
    }
}

extension AddingRules {
    static let members = ["expand", "onError", "check"]

    init(_ object: StrictObject) throws(Problem) {
        self.init()
        expands = try object.flag("expand") ?? true
        checks = try object.flag("check") ?? false
        switch try object.text("onError") {
        case nil, "refuse": skipsFaults = false
        case "skip": skipsFaults = true
        default: throw object.invalid("onError", "must be \"refuse\" or \"skip\"")
        }
    }
}

/// `PATCH /queue/items/{id}`: null removes a text.
extension ItemPatch: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        self.init()
        let object = try StrictObject(json, ["title", "artist", "album", "artworkUri", "beginTime", "loops"])
        func text(_ name: String, maximum: Int = 1024) throws(Problem) -> String?? {
            object.contains(name) ? .some(try object.text(name, maximum: maximum)) : nil
        }
        title = try text("title")
        artist = try text("artist")
        album = try text("album")
        artworkURI = object.contains("artworkUri") ? .some(try object.artworkURI()) : nil
        beginTime = try object.number("beginTime", in: mediaSeconds)
        loops = try object.integer("loops", in: -1...1_000_000)
    }
}

extension ItemID: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let text = try json.string.orThrow(json.invalid("must be an item's id"))
        self = try ItemID(text).orThrow(.unknownItem(text))
    }
}
