// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `GET /queue`
struct QueuePage: Decodable {
    struct Item: Decodable {
        var id: String
        var uri: String
        var title: String?
        var artist: String?
    }

    var revision: Int
    var length: Int
    var currentIndex: Int?
    var offset: Int
    var items: [Item]

    static let path = "/api/v1/queue"
    /// The API's own limit.
    static let largest = 1_000
}

struct QueueCommand: ShowingCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Lists the queue.",
        discussion: "The first column is the index that play --index, remove and move take; > marks the current item.")
    @OptionGroup var options: ClientOptions

    @Option(help: "First item to list (default 0).")
    var offset = 0

    @Option(help: "How many to list (default 100, at most 1000).")
    var limit = 100

    @Flag(help: "Print JSON: the answer of GET /api/v1/queue.")
    var json = false

    func validate() throws {
        guard offset >= 0 else { throw ValidationError("--offset must be 0 or more.") }
        guard (0...QueuePage.largest).contains(limit) else { throw ValidationError("--limit must be 0 to 1000.") }
    }

    func ask(_ client: ServerClient) throws -> [UInt8] {
        try client.send(.get, "\(QueuePage.path)?offset=\(offset)&limit=\(limit)")
    }

    func show(_ page: QueuePage) {
        guard page.length > 0 else { return Console.output("The queue is empty.") }
        var table = Table(columns: [.left, .right, .left, .left])
        for (place, item) in page.items.enumerated() {
            let index = page.offset + place
            let name = ItemName.text(title: item.title, artist: item.artist, uri: item.uri)
            table.add(index == page.currentIndex ? ">" : "", "\(index)", item.id, name)
        }
        if !page.items.isEmpty { Console.output(table.text) }
        let end = page.offset + page.items.count
        if page.offset > 0 || end < page.length {
            Console.complain("\(page.items.count) of \(page.length) items; see --offset and --limit.")
        }
    }
}
