// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Shows what plays and how.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Print JSON: the answer of GET /api/v1/player; with --follow an event on each line.")
    var json = false

    @Flag(help: "Go on telling what happens, until Ctrl-C.")
    var follow = false

    /// The events that change the output of `status`.
    private static let events = "status,item,settings,output,error"

    func run(_ client: ServerClient) throws {
        guard follow else {
            let bytes = try client.send(.get, PlayerState.path)
            if json { return Console.output(json: bytes) }
            return Console.output(try client.decode(PlayerState.self, bytes).text)
        }
        var previous = ""
        try client.follow("/api/v1/events?events=\(Self.events)") { event in
            if json { return Console.output(json: event) }
            let line = try client.get(PlayerState.self, PlayerState.path).line
            if line != previous { Console.output(line) }
            previous = line
        }
        throw Failure("\(client.address) ended the connection.", .unavailable)
    }
}
