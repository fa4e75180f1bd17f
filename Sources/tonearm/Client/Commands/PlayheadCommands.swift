// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct LoopCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "loop", "Repeats a part of the current item (A-B), until another item starts.",
        usage: "tonearm loop [--server <url>] [--token <token>] [--player <id>] <begin> <end> | off")
    @OptionGroup var options: ClientOptions

    @Argument(help: "Start: \(TimeArgument.forms); off ends the loop.") var begin: String
    @Argument(help: "End, in the same form.") var end: TimeArgument?

    private var from: TimeArgument? { TimeArgument(argument: begin) }

    func validate() throws {
        guard (begin == "off") == (end == nil), begin == "off" || from != nil else {
            throw ValidationError("Give a start and an end, such as 1:05 1:20, or off.")
        }
        if let end, let from, end.seconds <= from.seconds {
            throw ValidationError("The end must be after the start.")
        }
    }

    func run(_ client: ServerClient) throws {
        guard let begin = from?.seconds, let end = end?.seconds else {
            try client.change(["abLoop": RequestBody.Null()])
            return Console.output("The loop is off.")
        }
        let part: RequestBody = ["begin": begin, "end": end]
        try client.change(["abLoop": part])
        Console.output("From \(TimeText.exact(begin)) to \(TimeText.exact(end)), again and again.")
    }
}

struct PrimeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "prime", "Decodes the current item ahead, silently, so that play is heard at once.")
    @OptionGroup var options: ClientOptions

    @Option(help: "How much, 0 to 10 (default 1).") var seconds: Double?

    func validate() throws { try check("--seconds", seconds, 0...10) }

    func run(_ client: ServerClient) throws {
        struct Primed: Decodable { var prepared: Double }
        let primed: Primed = try client.ask(.post, "player/prime", ["seconds": seconds])
        Console.output("\((primed.prepared * 100).rounded() / 100) s are ready.")
    }
}

struct LevelsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "levels", "Shows the level of the music, before volume and fades.",
        discussion: "In dB below full scale, a number for each channel; the loudness is of the last 3 s (EBU R128).")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Print the event as JSON.") var json = false
    @Flag(help: "Print a line a second, until Ctrl-C.") var follow = false

    private struct Event: Decodable { var type: String }

    private struct Levels: Decodable {
        struct Reading: Decodable {
            struct Channel: Decodable { var average, peak: Double }

            var channels: [Channel]
            var loudness: Double
        }

        var data: Reading

        var text: String {
            func column(_ name: String, _ values: [Double]) -> String {
                name + values.map { " \(($0 * 10).rounded() / 10)" }.joined()
            }
            return [
                column("average", data.channels.map(\.average)), column("peak", data.channels.map(\.peak)),
                column("loudness", [data.loudness]) + " LUFS",
            ].joined(separator: "  ")
        }
    }

    func run(_ client: ServerClient) throws {
        try client.follow("events?events=levels,status&levelsInterval=1") { bytes in
            let event: Event = try client.decode(bytes)
            guard event.type == "levels" else {
                if follow { return true }
                // The greeting, or a new status: without sound no level comes.
                let player: PlayerState = try client.ask(.get, "player")
                guard player.status == "playing" else { throw Failure("No sound: the player is \(player.status).") }
                return true
            }
            try client.show(bytes, json: json) { (levels: Levels) in Console.output(levels.text) }
            return follow
        }
    }
}
