// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import RemoteAPI

/// The options of every command to a running server, before its name or behind it.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's address (default TONEARM_SERVER, else http://127.0.0.1:8080).", valueName: "url"))
    var server: String?

    @Option(help: "The access token, where one is needed (default TONEARM_TOKEN).")
    var token: String?

    @Option(
        help: ArgumentHelp(
            "The player, by its id as tonearm players lists it (default TONEARM_PLAYER, else main).", valueName: "id"),
        completion: .shellCommand("tonearm players --ids 2>/dev/null"))
    var player: String?

    func client() throws -> ServerClient {
        let environment = ProcessInfo.processInfo.environment
        let player = player ?? environment["TONEARM_PLAYER"]
        if let player, !player.isEmpty, !PlayerPath.isID(player) {
            throw Failure.configuration(
                (self.player == nil ? "TONEARM_PLAYER" : "--player") + ": \(player) is no player's id.")
        }
        let token = token ?? environment["TONEARM_TOKEN"]
        if let token, token.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw Failure.configuration(
                (self.token == nil ? "TONEARM_TOKEN" : "--token") + ": a token holds no spaces or line ends.")
        }
        return ServerClient(
            address: try .find(server, environment), token: token?.isEmpty == true ? nil : token,
            player: player.flatMap { $0.isEmpty ? nil : PlayerPath(id: $0) } ?? .main)
    }
}
