// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Records on the server, which must run with --recordings.",
        subcommands: [Start.self, Pause.self, Stop.self, List.self], defaultSubcommand: List.self)

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Starts a recording, or resumes a paused one.")
        @OptionGroup var options: ClientOptions

        @Option(help: "wav, flac, opus or mp3 (default wav).")
        var format: String?
        @Option(help: "Hz (default 8000).")
        var rate: Int?
        @Option(help: "1 to 8 (default 1).")
        var channels: Int?
        @Option(help: "8, 16, 24 or 32 (default 16).")
        var bits: Int?
        @Option(help: "Name for the file, without extension.")
        var name: String?
        @Option(help: "Source of the sound server.")
        var source: String?
        @Flag(help: "Play it when it is done.")
        var autoPlay = false

        func run(_ client: ServerClient) throws {
            let bytes = try client.send(
                .post, "/api/v1/recordings",
                [
                    "format": format, "sampleRate": rate, "channels": channels, "bits": bits, "name": name,
                    "source": source, "autoPlay": autoPlay,
                    // Nobody listens to the levels here.
                    "metering": false,
                ])
            let status = try client.decode(Status.self, bytes)
            Console.output("Recording \(status.id ?? "") from \(status.source ?? "the default source").")
        }
    }

    struct Pause: ClientCommand {
        static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses the recording.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws { try client.send(.post, "/api/v1/recordings/current/pause") }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Ends the recording and prints its outcome.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let bytes = try client.send(.post, "/api/v1/recordings/current/stop")
            try client.decode(Status.self, bytes).last?.printOutcome()
        }
    }

    struct List: ShowingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the recordings, the newest first.")
        @OptionGroup var options: ClientOptions

        @Flag(help: "Print JSON: the answer of GET /api/v1/recordings.")
        var json = false

        struct Answer: Decodable {
            struct Entry: Decodable {
                var id: String
                var duration: Double?
                var recovered: Bool
            }
            var status: Status
            var recordings: [Entry]
        }

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "/api/v1/recordings") }

        func show(_ answer: Answer) {
            var table = Table(columns: [.left, .right, .left])
            if let id = answer.status.id { table.add(id, TimeText.text(answer.status.duration), answer.status.state) }
            for entry in answer.recordings {
                table.add(entry.id, TimeText.text(entry.duration), entry.recovered ? "recovered" : "")
            }
            Console.output(table, orWithoutRows: "There are no recordings.")
        }
    }

    struct Status: Decodable {
        var state: String
        var id: String?
        var source: String?
        var duration: Double?
        var last: RecordingOutcome?
    }
}
