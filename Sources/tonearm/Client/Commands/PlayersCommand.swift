// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Kernel

struct PlayersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "players", abstract: "Lists the players, adds or removes one, lets one follow another.",
        discussion: """
            Other commands take --player ID to speak to another one than main. A player that follows plays what its leader \
            plays, in step with it, until it leaves the group (unfollow).
            """,
        subcommands: [List.self, Add.self, Remove.self, Follow.self, Unfollow.self], defaultSubcommand: List.self)

    private static let path = "/api/v1/players"

    private static func path(of id: String) throws -> String {
        guard PlayerAddress.isID(id) else { throw Failure.configuration("\(id) is no player's id.") }
        return "\(path)/\(id)"
    }

    struct Entry: Decodable {
        var id: String
        var name: String
        var status: String
        var title: String?
        var uri: String?
        var output: String?
        var level: Double
        var muted: Bool
        var leader: String?
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the players.")
        @OptionGroup var options: ClientOptions

        @Flag(help: "Print JSON: the answer of GET /api/v1/players.")
        var json = false

        @Flag(help: "Print the ids only.")
        var ids = false

        private struct Players: Decodable { var players: [Entry] }

        func run() throws {
            let client = try options.client()
            let bytes = try client.send(.get, PlayersCommand.path)
            if json { return Console.write(bytes + [UInt8(ascii: "\n")]) }
            let players = try client.decode(Players.self, bytes).players
            // For shells, whose completion expands what it is given: nothing that is no id.
            if ids { return players.map(\.id).filter(PlayerAddress.isID).forEach { Console.output($0) } }
            var table = Table(columns: [.left, .left, .left, .right, .left, .left])
            for player in players {
                let volume = "\(Int(clamping: (player.level * 100).rounded())) %" + (player.muted ? ", muted" : "")
                let status = player.status + (player.leader.map { ", follows \($0)" } ?? "")
                table.add(
                    player.id, player.name, status, volume, player.output ?? "no output",
                    player.title ?? player.uri ?? "")
            }
            Console.output(table.text)
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a player; prints its id.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id: 1 to 32 letters, digits and hyphens (default one that the server chooses).")
        var id: String?

        @Option(help: "What people call it (default its id).")
        var name: String?

        @Option(help: "The output it plays on, as tonearm outputs lists them (default the sound server's default).")
        var output: String?

        private struct Request: Encodable {
            var id: String?
            var name: String?
            var output: String?
        }

        func run() throws {
            let client = try options.client()
            let made = try client.send(.post, PlayersCommand.path, Request(id: id, name: name, output: output))
            Console.output(try client.decode(Entry.self, made).id)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Ends a player and removes it with its queue.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.")
        var id: String

        func run() throws {
            let path = try PlayersCommand.path(of: id)
            try options.client().send(.delete, path)
        }
    }

    private struct Leader: Encodable {
        /// nil: nobody.
        var leader: String?

        enum CodingKeys: CodingKey { case leader }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(leader, forKey: .leader)
        }

        func send(_ options: ClientOptions, to id: String) throws {
            let path = try PlayersCommand.path(of: id)
            try options.client().send(.patch, path, self)
        }
    }

    struct Follow: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "follow", abstract: "Lets a player play what another plays, in step with it.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "The id of the player that follows; its queue is replaced.")
        var id: String

        @Argument(help: "The id of the player to follow.")
        var leader = "main"

        func run() throws { try Leader(leader: leader).send(options, to: id) }
    }

    struct Unfollow: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unfollow", abstract: "Lets a player go its own way again, from where it is.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.")
        var id: String

        func run() throws { try Leader(leader: nil).send(options, to: id) }
    }
}
