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
    /// Rejects a number outside its range.
    func check(_ option: String, _ value: Double?, _ range: ClosedRange<Int>) throws {
        guard let value, !(Double(range.lowerBound)...Double(range.upperBound)).contains(value) else { return }
        throw ValidationError("\(option) must be from \(range.lowerBound) to \(range.upperBound).")
    }

    /// Rejects an unknown value in a comma-separated list. `kind`: such as "a day". `other`: what may stand for the list.
    func checkList<Value: CaseIterable & RawRepresentable<String>>(
        _ list: String, _: Value.Type, _ kind: String, _ other: String
    ) throws {
        guard let wrong = list.split(separator: ",").first(where: { Value(rawValue: String($0)) == nil }) else {
            return
        }
        let known = Value.allCases.map(\.rawValue).joined(separator: ",")
        throw ValidationError("\(wrong) is not \(kind): give \(known), comma-separated, \(other).")
    }
}

/// A command that shows an answer of the server: as text, or unchanged as JSON (`--json`).
protocol ShowingCommand: ClientCommand {
    associatedtype Answer: Decodable

    var json: Bool { get }

    func ask(_ client: ServerClient) throws -> [UInt8]
    func show(_ answer: Answer) throws
}

extension ShowingCommand {
    func run(_ client: ServerClient) throws { try client.show(ask(client), json: json, show) }
}

extension ServerClient {
    func show<Answer: Decodable>(_ bytes: [UInt8], json: Bool, _ show: (Answer) throws -> Void) throws {
        if json { Console.output(json: bytes) } else { try show(decode(bytes)) }
    }
}

extension Flag<Bool> {
    /// `--json`. `route`: the request that has the same answer.
    init(wrappedValue: Bool, json route: String) {
        self.init(wrappedValue: wrappedValue, help: "Print JSON: the answer of GET /api/v1/\(route).")
    }
}

enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

/// The options of every command to a running server. They may precede or follow its name.
struct ClientOptions: ParsableArguments {
    @Option(
        value: "url", "The server's address or printed link (default TONEARM_SERVER, else http://127.0.0.1:8080).")
    var server: String?

    @Option(help: "The access token, if the server needs one (default TONEARM_TOKEN).") var token: String?

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
        let source = self.token != nil ? "--token" : address.token != nil ? "the link" : "TONEARM_TOKEN"
        if let token, token.contains("#token=") {
            throw Failure.configuration(source + ": this is a link, not a token: give it with --server LINK.")
        }
        if let token, token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw Failure.configuration(source + ": a token must not contain spaces or line ends.")
        }
        return ServerClient(
            address: address, token: token?.isEmpty == true ? nil : token,
            player: player.flatMap { $0.isEmpty ? nil : PlayerPath(id: $0) } ?? .main)
    }
}

/// The only argument of a command that takes values such as -10. ArgumentParser's `allUnrecognized` does not read them as options,
/// but returns `--` as a value.
enum SignedArgument {
    /// nil if there is no argument, or more than one.
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
