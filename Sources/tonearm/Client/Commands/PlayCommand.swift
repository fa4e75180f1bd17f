// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct PlayCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays: goes on, or a place of the queue, or something new.",
        discussion: """
            With URIs they are added at the end of the queue and the first of them plays. A URI is relative to the server's \
            music directories (see tonearm browse), or an absolute path in one of them, or one that begins with ./ or ../, or an \
            address of the web; a folder, a playlist or a feed stands for everything in it.
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "What to add and play.", completion: .file())
    var uris: [String] = []

    @Option(help: "Play the item at this place of the queue; the first one is 0.")
    var index: Int?

    @Option(help: "Play the item with this id.")
    var item: String?

    @Option(help: "Begin there: seconds, m:ss or h:mm:ss.")
    var position: TimeArgument?

    func validate() throws {
        guard [index != nil, item != nil, !uris.isEmpty].filter({ $0 }).count <= 1 else {
            throw ValidationError("Give URIs, --index or --item; only one of them.")
        }
        if let index, index < 0 { throw ValidationError("--index must be 0 or more.") }
        if !uris.isEmpty, position != nil { throw ValidationError("--position cannot go with URIs.") }
        if uris.contains("") { throw ValidationError("A URI must not be empty.") }
    }

    func run(_ client: ServerClient) throws {
        if uris.isEmpty {
            let id = try item ?? index.map { try client.itemIDs([String($0)])[0] }
            try client.play(["itemId": id, "position": position?.seconds], named: id)
        } else {
            try client.play(MediaArgument.all(uris))
        }
    }
}
