// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import RemoteAPI

/// A command to a running server.
protocol ClientCommand: ParsableCommand {
    var options: ClientOptions { get }

    func run(_ client: ServerClient) throws
}

extension ClientCommand {
    func run() throws { try run(options.client()) }
}

extension ParsableArguments {
    /// Refuses a number outside its range.
    func check(_ option: String, _ value: Double?, _ range: ClosedRange<Int>) throws {
        guard let value, !(Double(range.lowerBound)...Double(range.upperBound)).contains(value) else { return }
        throw ValidationError("\(option) must be from \(range.lowerBound) to \(range.upperBound).")
    }
}

/// A command that prints an answer of the server: for people, or with `--json` as it came.
protocol ShowingCommand: ClientCommand {
    associatedtype Answer: Decodable

    var json: Bool { get }

    func ask(_ client: ServerClient) throws -> [UInt8]
    func show(_ answer: Answer) throws
}

extension ShowingCommand {
    func run(_ client: ServerClient) throws {
        let bytes = try ask(client)
        if json { return Console.output(json: bytes) }
        try show(client.decode(Answer.self, bytes))
    }
}

enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

/// The options of every command to a running server, before its name or behind it.
struct ClientOptions: ParsableArguments {
    @Option(
        value: "url", "The server's address or printed link (default TONEARM_SERVER, else http://127.0.0.1:8080).")
    var server: String?

    @Option(help: "The access token, if the server needs one (default TONEARM_TOKEN).")
    var token: String?

    @Option(
        value: "id", "The player, by its id as tonearm players lists it (default TONEARM_PLAYER, else main).",
        completion: ServerNames.players.completion)
    var player: String?

    func client() throws -> ServerClient {
        let environment = ProcessInfo.processInfo.environment
        let player = player ?? environment["TONEARM_PLAYER"]
        if let player, !player.isEmpty, !PlayerPath.isID(player) {
            throw Failure.configuration(
                (self.player == nil ? "TONEARM_PLAYER" : "--player") + ": \(player) is not a player id.")
        }
        let address = try ServerAddress.find(server, environment)
        let token = token ?? address.token ?? environment["TONEARM_TOKEN"]
        if let token, token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            let source = self.token != nil ? "--token" : address.token != nil ? "the link" : "TONEARM_TOKEN"
            throw Failure.configuration(
                source + ": a token must not contain spaces or line ends.")
        }
        return ServerClient(
            address: address, token: token?.isEmpty == true ? nil : token,
            player: player.flatMap { $0.isEmpty ? nil : PlayerPath(id: $0) } ?? .main)
    }
}

/// The one argument of a command in which -10 is no option: ArgumentParser's `allUnrecognized`, which also takes `--` for a value.
enum SignedArgument {
    /// nil when there is none, or several.
    static func only(_ texts: [String]) -> String? {
        let rest = texts.first == "--" ? texts.dropFirst() : texts[...]
        return rest.count == 1 ? rest.first : nil
    }

    static func discussion(_ example: String) -> String {
        "\(example) works as it is, or after --, like any argument that begins with a hyphen."
    }
}

extension CommandConfiguration {
    init(
        _ name: String, _ abstract: String, usage: String? = nil, discussion: String = "",
        subcommands: [any ParsableCommand.Type] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        self.init(
            commandName: name, abstract: abstract, usage: usage, discussion: discussion, subcommands: subcommands,
            defaultSubcommand: defaultSubcommand)
    }
}
