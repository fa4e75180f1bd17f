// SPDX-License-Identifier: Apache-2.0

import Service

/// What `/playlists` takes: a name, and either entries or the queue as it is.
struct PlaylistRequest: ListBody {
    enum Content {
        case items([ItemRequest])
        case queue
    }

    static let listMember = "items"
    /// Entries of a playlist.
    static let maximumLength = 100_000
    static let tooLong = Problem.tooLarge(
        "A playlist holds at most \(maximumLength) entries.", code: "playlist-full")
    static let maximumNameLength = 100

    var name: String?
    var content: Content?
    /// nil when the request has none.
    private(set) var rules: AddingRules?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["name", "items", "fromQueue"] + AddingRules.members)
        if object.contains("name") {
            let name = try object.text("name", maximum: Self.maximumNameLength) ?? ""
            guard name.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
                throw object.invalid("name", "must not be empty")
            }
            guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw object.invalid("name", "contains a control character")
            }
            self.name = name
        }
        if AddingRules.members.contains(where: object.contains) { rules = try AddingRules(object) }
        let items = try object.nested([ItemRequest].self, "items")
        if try object.flag("fromQueue") ?? false {
            guard items == nil else { throw object.invalid("items", "cannot be given together with fromQueue") }
            content = .queue
        } else {
            content = items.map { .items($0) }
        }
    }

    mutating func fill(_ elements: [ItemRequest]) { content = .items(elements) }

    func requiredName() throws(Problem) -> String {
        guard let name else { throw .invalid("name", "name is needed.") }
        return name
    }

    func requiredContent() throws(Problem) -> Content {
        guard let content else {
            throw .invalid("items", "items is needed: a list as for the queue; or fromQueue: true.")
        }
        return content
    }
}
