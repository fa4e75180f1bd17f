// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Kernel
import RemoteAPI

struct PlayersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "players", "Lists, adds, removes and groups players.",
        discussion: """
            Other commands take --player ID to control a player other than main. A player that follows plays what its leader \
            plays, in step with it, until it leaves the group (unfollow).
            """,
        subcommands: [List.self, Add.self, Remove.self, Follow.self, Unfollow.self], defaultSubcommand: List.self)

    private static func path(of id: String) throws -> String {
        guard PlayerPath.isID(id) else { throw Failure.configuration("\(id) is not a player id.") }
        return "players/\(id)"
    }

    struct Entry: Decodable {
        var id, name, status: String
        var title, uri, output, leader: String?
        var level: Double
        var muted: Bool
    }

    struct List: ShowingCommand {
        static let configuration = CommandConfiguration("list", "Lists the players.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "players") var json = false
        @Flag(help: "Print the ids only.") var ids = false

        struct Answer: Decodable { var players: [Entry] }

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "players") }

        func show(_ answer: Answer) {
            let players = answer.players
            // Shell completion expands this output: print nothing but valid ids.
            if ids { return players.map(\.id).filter(PlayerPath.isID).forEach { Console.output($0) } }
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

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration("add", "Adds a player; prints its id.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id: 1 to 32 letters, digits and hyphens (default one that the server chooses).")
        var id: String?

        @Option(help: "Its display name (default its id).") var name: String?

        @Option(
            help: "The output it plays on, as tonearm outputs lists them (default the sound server's default).",
            completion: ServerNames.outputs.completion)
        var output: String?

        func run(_ client: ServerClient) throws {
            let added: Entry = try client.ask(.post, "players", ["id": id, "name": name, "output": output])
            Console.output(added.id)
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration("remove", "Ends a player and removes it with its queue.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.", completion: ServerNames.players.completion) var id: String

        func run(_ client: ServerClient) throws {
            try client.send(.delete, PlayersCommand.path(of: id))
            Console.output("\(id) is removed")
        }
    }

    struct Follow: ClientCommand {
        static let configuration = CommandConfiguration("follow", "Makes a player follow another one, in step.")
        @OptionGroup var options: ClientOptions

        @Argument(
            help: "The id of the player that follows; its queue is replaced.",
            completion: ServerNames.players.completion)
        var id: String

        @Argument(help: "The id of the player to follow.", completion: ServerNames.players.completion)
        var leader = "main"

        func run(_ client: ServerClient) throws {
            try client.send(.patch, PlayersCommand.path(of: id), ["leader": leader])
            Console.output("\(id) follows \(leader)")
        }
    }

    struct Unfollow: ClientCommand {
        static let configuration = CommandConfiguration(
            "unfollow", "Makes a player leave its group; it plays on by itself.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.", completion: ServerNames.players.completion) var id: String

        func run(_ client: ServerClient) throws {
            try client.send(.patch, PlayersCommand.path(of: id), ["leader": RequestBody.Null()])
            Console.output("\(id) plays by itself")
        }
    }
}
