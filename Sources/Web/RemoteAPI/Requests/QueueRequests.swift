// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// `POST /queue/items`
struct AddItemsRequest: QueueListBody {
    static let listMember = "items"

    var addition: Addition

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["items", "position", "play"] + AddingRules.members)
        addition = Addition(
            try object.items(), .insert(try object.nested(Position.self, "position")?.point ?? .end),
            plays: try object.flag("play") ?? false, rules: try AddingRules(object))
    }

    mutating func fill(_ elements: [ItemRequest]) { addition.items = elements }

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
}

/// `PUT /queue`
struct ReplaceQueueRequest: QueueListBody {
    static let listMember = "items"

    var addition: Addition

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["items", "index", "play"] + AddingRules.members)
        addition = Addition(
            try object.items(), .replace(current: try object.integer("index", in: 0...Queue.maximumLength)),
            plays: try object.flag("play") ?? false, rules: try AddingRules(object))
    }

    mutating func fill(_ elements: [ItemRequest]) { addition.items = elements }
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

/// Ids of items in the queue.
protocol QueueIDsBody: QueueListBody where Element == ItemID {}

extension QueueIDsBody {
    static var listMember: String { "ids" }
    static var tooLong: Problem { .invalid(listMember, "\(listMember) holds more than \(maximumLength) ids.") }
}

/// `POST /queue/move`
struct MoveRequest: QueueIDsBody {
    var ids: [ItemID]
    var position: Int

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["ids", "position"])
        ids = try object.itemIDs()
        position = try object.needed(
            object.integer("position", in: 0...Queue.maximumLength), "position",
            "is needed: the index that the first item gets")
    }

    mutating func fill(_ elements: [ItemID]) { ids = elements.withoutDoubles }
}

/// `POST /queue/remove`
struct RemoveRequest: QueueIDsBody {
    var ids: [ItemID]

    init(_ json: JSONNode) throws(Problem) {
        ids = try StrictObject(json, ["ids"]).itemIDs()
    }

    mutating func fill(_ elements: [ItemID]) { ids = elements.withoutDoubles }
}

extension StrictObject {
    /// The ids in `ids`, without duplicates.
    fileprivate func itemIDs() throws(Problem) -> [ItemID] {
        try needed(nested([ItemID].self, "ids"), "ids", "is needed: a list of ids").withoutDoubles
    }
}

extension [ItemID] {
    fileprivate var withoutDoubles: [ItemID] {
        var seen: Set<ItemID> = []
        return filter { seen.insert($0).inserted }
    }
}

extension ItemID: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        guard let text = json.string else { throw json.invalid("must be an item's id") }
        guard let id = ItemID(text) else { throw .unknownItem(text) }
        self = id
    }
}

extension StrictObject {
    /// The list of items of a request.
    fileprivate func items() throws(Problem) -> [ItemRequest] {
        try needed(
            nested([ItemRequest].self, "items"), "items",
            "is needed: a list of {uri}, {folder}, {album}, {artist}, {track}, {genre} or {playlist}")
    }
}
