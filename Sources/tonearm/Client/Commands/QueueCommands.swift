// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `GET /queue`
struct QueuePage: Decodable {
    struct Item: Decodable {
        var id, uri: String
        var title, artist: String?

        var name: String { ItemName.text(title: title, artist: artist, uri: uri) }
    }

    var length, offset: Int
    var currentIndex: Int?
    var items: [Item]

    /// The API's limit.
    static let largest = 1_000
}

struct QueueCommand: ShowingCommand {
    static let configuration = CommandConfiguration(
        "queue", "Lists the queue.",
        discussion: "The first column is the index for play --index, remove and move; > marks the current item.")
    @OptionGroup var options: ClientOptions

    @Option(help: "Index of the first item to list.") var offset = 0
    @Option(help: "Number of items to list, 1000 at most.") var limit = 100
    @Flag(json: "queue") var json = false

    func validate() throws {
        guard offset >= 0 else { throw ValidationError("--offset must be 0 or more.") }
        guard (0...QueuePage.largest).contains(limit) else { throw ValidationError("--limit must be 0 to 1000.") }
    }

    func ask(_ client: ServerClient) throws -> [UInt8] {
        try client.send(.get, "queue?offset=\(offset)&limit=\(limit)")
    }

    func show(_ page: QueuePage) {
        guard page.length > 0 else { return Console.output("The queue is empty.") }
        var table = Table(columns: [.left, .right, .left, .left])
        for (place, item) in page.items.enumerated() {
            let index = page.offset + place
            table.add(index == page.currentIndex ? ">" : "", "\(index)", item.id, item.name)
        }
        if !page.items.isEmpty { Console.output(table.text) }
        let end = page.offset + page.items.count
        if page.offset > 0 || end < page.length {
            Console.complain("\(page.items.count) of \(page.length) items; see --offset and --limit.")
        }
    }
}

struct AddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "add", "Adds to the queue.",
        discussion: """
            A URI is a path relative to the server's music folders (see tonearm browse), an absolute path in one of them, a \
            path that begins with ./ or ../, or a web address; a folder, a playlist or a feed stands for everything in it.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "What to add.", completion: .file()) var uris: [String]
    @Flag(help: "Add after the current item instead of at the end.") var next = false
    @Option(help: "Add before the item at this index.") var index: Int?

    private struct Added: Decodable {
        var count, length: Int
        var truncated: Bool
    }

    func validate() throws {
        if next, index != nil { throw ValidationError("Give --next or --index, not both.") }
        if let index, index < 0 { throw ValidationError("--index must be 0 or more.") }
        if uris.contains("") { throw ValidationError("A URI must not be empty.") }
    }

    func run(_ client: ServerClient) throws {
        let position: any Encodable = if let index { index } else { next ? "next" : "end" }
        let added: Added = try client.add(["items": uris.map { MediaArgument($0) }, "position": position])
        Console.output("\(added.count) added, \(added.length) in the queue")
        if added.truncated { Console.complain("The folder contains more than was added.") }
    }
}

struct RemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration("remove", "Removes items from the queue.")
    @OptionGroup var options: ClientOptions

    @Argument(help: "Indices or ids of the items, as tonearm queue lists them.") var items: [String]

    func run(_ client: ServerClient) throws {
        let ids = try client.itemIDs(items)
        try client.editQueue(.post, "queue/remove", ["ids": ids], done: "\(Set(ids).count) removed")
    }
}

struct MoveCommand: ClientCommand {
    static let configuration = CommandConfiguration("move", "Moves items to another place of the queue.")
    @OptionGroup var options: ClientOptions

    @Argument(help: "Indices or ids of the items, as tonearm queue lists them.") var items: [String]
    @Option(help: "New index of the first of them.") var to: Int

    func validate() throws {
        guard to >= 0 else { throw ValidationError("--to must be 0 or more.") }
    }

    func run(_ client: ServerClient) throws {
        let ids = try client.itemIDs(items)
        try client.editQueue(.post, "queue/move", ["ids": ids, "position": to], done: "\(Set(ids).count) moved")
    }
}

/// The answer to an edit of the queue.
struct QueueLength: Decodable { var length: Int }

extension ServerClient {
    func editQueue(_ method: Method, _ path: String, _ body: RequestBody? = nil, done: String) throws {
        let after: QueueLength = try ask(method, path, body)
        Console.output("\(done), \(after.length) in the queue")
    }

    /// Resolves indices to ids. Any other text is an id already.
    func itemIDs(_ texts: [String]) throws -> [String] {
        try texts.map { text in
            guard let index = Int(text) else { return text }
            guard index >= 0 else { throw Failure("\(text) is not an index; the first item is 0.") }
            let page: QueuePage = try ask(.get, "queue?offset=\(min(index, 1_000_000))&limit=1")
            guard let item = page.items.first else {
                throw Failure("There is no item \(index): the queue has \(page.length) items.")
            }
            return item.id
        }
    }
}
