// SPDX-License-Identifier: Apache-2.0

import Playback

/// `POST /queue/items`
struct AddItemsRequest: ListBody {
    static let listMember = "items"

    var items: [ItemRequest]
    var position: InsertionPoint
    var play: Bool

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["items", "position", "play"])
        guard let items = try object.nested([ItemRequest].self, "items") else {
            throw object.invalid(
                "items", "is needed: a list of {uri}, {folder}, {album}, {artist}, {track}, {genre} or {playlist}")
        }
        self.items = items
        position = try object.nested(Position.self, "position")?.point ?? .end
        play = try object.flag("play") ?? false
    }

    mutating func fill(_ elements: [ItemRequest]) { items = elements }

    private struct Position: Decodable {
        var point: InsertionPoint

        init(from decoder: any Decoder) throws {
            let refusal = Problem.invalid("position", "position must be an index from 0 on, \"next\" or \"end\".")
            switch try JSONValue(from: decoder) {
            case .text("next"): point = .next
            case .text("end"): point = .end
            case .integer(let index) where (0...Int64(Queue.maximumLength)).contains(index): point = .index(Int(index))
            default: throw refusal
            }
        }
    }
}

/// `PUT /queue`
struct ReplaceQueueRequest: ListBody {
    static let listMember = "items"

    var items: [ItemRequest]
    var index: Int?
    var play: Bool

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["items", "index", "play"])
        guard let items = try object.nested([ItemRequest].self, "items") else {
            throw object.invalid(
                "items", "is needed: a list of {uri}, {folder}, {album}, {artist}, {track}, {genre} or {playlist}")
        }
        self.items = items
        index = try object.integer("index", in: 0...Queue.maximumLength)
        play = try object.flag("play") ?? false
    }

    mutating func fill(_ elements: [ItemRequest]) { items = elements }
}

/// `PATCH /queue/items/{id}`: null removes a text.
struct ItemPatchRequest: Decodable {
    var patch = ItemPatch()

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["title", "artist", "album", "artworkUri", "beginTime", "loops"])
        func text(_ name: String, maximum: Int = 1024) throws -> String?? {
            object.contains(name) ? .some(try object.text(name, maximum: maximum)) : nil
        }
        patch.title = try text("title")
        patch.artist = try text("artist")
        patch.album = try text("album")
        patch.artworkURI = try text("artworkUri", maximum: ItemRequest.maximumURILength)
        patch.beginTime = try object.number("beginTime", in: mediaSeconds)
        patch.loops = try object.integer("loops", in: -1...1_000_000)
    }
}

/// `POST /queue/move`
struct MoveRequest: ListBody {
    static let listMember = "ids"

    var ids: [ItemID]
    var position: Int

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["ids", "position"])
        ids = try object.itemIDs()
        guard let position = try object.integer("position", in: 0...Queue.maximumLength) else {
            throw object.invalid("position", "is needed: the index that the first item gets")
        }
        self.position = position
    }

    mutating func fill(_ elements: [ItemIDText]) { ids = elements.withoutDoubles }
}

/// `POST /queue/remove`
struct RemoveRequest: ListBody {
    static let listMember = "ids"

    var ids: [ItemID]

    init(from decoder: any Decoder) throws {
        ids = try StrictObject(decoder, ["ids"]).itemIDs()
    }

    mutating func fill(_ elements: [ItemIDText]) { ids = elements.withoutDoubles }
}

extension StrictObject {
    /// The list of ids `ids`, without doubles.
    fileprivate func itemIDs() throws -> [ItemID] {
        guard let texts = try nested([ItemIDText].self, "ids") else { throw invalid("ids", "is needed: a list of ids") }
        return texts.withoutDoubles
    }
}

extension [ItemIDText] {
    fileprivate var withoutDoubles: [ItemID] {
        var seen: Set<ItemID> = []
        return map(\.id).filter { seen.insert($0).inserted }
    }
}

struct ItemIDText: Decodable {
    var id: ItemID

    init(from decoder: any Decoder) throws {
        let text: String
        do {
            text = try decoder.singleValueContainer().decode(String.self)
        } catch is DecodingError {
            let member = MemberPath.text(decoder.codingPath, in: decoder.listPlace)
            throw Problem.invalid(member, "\(member) must be an item's id.")
        }
        guard let id = ItemID(text) else { throw Problem(PlaybackError.unknown(item: text)) }
        self.id = id
    }
}
