// SPDX-License-Identifier: Apache-2.0

import Kernel
import ArgumentParser
import Playback

struct BrowseCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "browse", "Lists a folder of the server's music, or a playlist.",
        discussion:
            """
            Pass a line to play or add. A folder ends with a slash. A playlist file or feed is listed by its entries, at a \
            terminal with their titles.
            """
    )
    @OptionGroup var options: ClientOptions

    @Argument(help: "Folder or playlist, as for tonearm add (default the top of the music folders).") var path = ""

    @Flag(help: "Print JSON: the answer of GET /api/v1/browse (its first 1000 entries), or of GET /api/v1/media/list.")
    var json = false

    private struct Folder: Decodable {
        struct Entry: Decodable { var type, path: String }

        var length: Int
        var truncated: Bool
        var entries: [Entry]
    }

    private struct List: Decodable {
        struct Entry: Decodable {
            var uri: String
            var title, artist: String?
        }

        var truncated: Bool
        var items: [Entry]
    }

    func run(_ client: ServerClient) throws {
        // `/` is the top of the music folders, not of this machine.
        if path.allSatisfy({ $0 == "/" }) { return try browse(client, "") }
        let item = MediaArgument(path)
        if item.isWeb { return try list(client, item.uri) }
        do {
            try browse(client, item.uri)
        } catch let refusal as Failure where refusal.status == .general && MediaArgument.mayBeList(item.uri) {
            try list(client, item.uri)
        }
    }

    private func list(_ client: ServerClient, _ uri: String) throws {
        let address = "media/list?uri=\(PercentEncoding.encode(uri))"
        let bytes = try client.send(.get, address, patience: ServerClient.addingTimeout)
        try client.show(bytes, json: json) { (list: List) in
            for entry in list.items {
                let name = ItemName.text(title: entry.title, artist: entry.artist, uri: "")
                // A line that goes to a program is the URI alone.
                let end = Console.isTerminal && !name.isEmpty ? "  \(name)" : ""
                Console.output(Table.printable(entry.uri + end))
            }
            if list.truncated { Console.complain("The playlist has more entries than the server lists.") }
        }
    }

    private func browse(_ client: ServerClient, _ folder: String) throws {
        let address = "browse?path=\(PercentEncoding.encode(folder))&limit=1000"
        let patience = ServerClient.addingTimeout
        if json { return Console.output(json: try client.send(.get, address, patience: patience)) }
        var offset = 0
        while true {
            let page: Folder = try client.ask(.get, "\(address)&offset=\(offset)", patience: patience)
            for entry in page.entries {
                Console.output(Table.printable(entry.path) + (entry.type == "folder" ? "/" : ""))
            }
            offset += page.entries.count
            if page.entries.isEmpty || offset >= page.length {
                if page.truncated { Console.complain("The folder has more entries than the server lists.") }
                return
            }
        }
    }
}

struct OutputsCommand: ShowingCommand {
    static let configuration = CommandConfiguration(
        "outputs", "Lists the outputs, or chooses one.",
        discussion: """
            * marks the output in use. chosen: a client selected it; if it is not there, it is used when it appears. \
            followed: it is the sound server's default.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(
        help: "Output to use from now on; \"default\" follows the sound server's default.",
        completion: ServerNames.outputChoice.completion)
    var id: String?

    @Flag(json: "outputs") var json = false

    struct Answer: Decodable {
        struct Device: Decodable {
            var id, description, state: String
            var available, current, `default`: Bool
            var bus, activePort: String?
            var ports: [Port]

            struct Port: Decodable { var name, description: String }

            /// With the port in use if another output has the same description.
            func name(among devices: [Device]) -> String {
                guard devices.count(where: { $0.description == description }) > 1,
                    let port = ports.first(where: { $0.name == activePort })
                else { return description }
                return "\(description) (\(port.description))"
            }
        }

        var outputs: [Device]
        var following: String
        /// Why there is no sound, or that the chosen output is missing.
        var message: String?
    }

    func ask(_ client: ServerClient) throws -> [UInt8] {
        guard let id else { return try client.send(.get, "outputs") }
        return try client.send(.put, "outputs/current", RequestBody("id", id == "default" ? .none : .text(id)))
    }

    func show(_ answer: Answer) { Console.output(Self.text(answer)) }

    static func text(_ answer: Answer) -> String {
        let devices = answer.outputs
        let message = answer.message.map(Table.printable)
        guard !devices.isEmpty else { return message ?? "There is no output." }
        var table = Table(columns: [.left, .left, .left, .left])
        for device in devices {
            let state = device.available ? device.state : "unplugged"
            let use = answer.following == "choice" ? ", chosen" : device.default ? ", followed" : ""
            let marks = state + (device.default ? ", default" : "") + (device.current ? use : "")
            table.add(device.current ? "*" : "", device.id, marks, device.name(among: devices))
        }
        return table.text + (message.map { "\n" + $0 } ?? "")
    }
}
