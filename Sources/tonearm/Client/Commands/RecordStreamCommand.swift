// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct RecordStreamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record-stream",
        abstract: "Saves what the current item sends over the network, on a server that runs with --recordings.",
        subcommands: [Start.self, Stop.self, Show.self], defaultSubcommand: Start.self)

    private static let path = "/api/v1/player/record-stream"

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Begins a file, unless one is made already.")
        @OptionGroup var options: ClientOptions

        @Option(help: "Name for the file, without extension (default: the time).")
        var name: String?

        @Option(help: "Ends it after so long: seconds, m:ss or h:mm:ss, a week at most.")
        var maxDuration: TimeArgument?

        @Option(help: ArgumentHelp("Ends it when it is so large.", valueName: "megabytes"))
        var maxSize: Int?

        func validate() throws {
            if let maxDuration, !(1...604_800).contains(maxDuration.seconds) {
                throw ValidationError("--max-duration must be 1 s to a week.")
            }
            if let maxSize, !(1...900_000).contains(maxSize) {
                throw ValidationError("--max-size must be 1 to 900000 megabytes.")
            }
        }

        func run(_ client: ServerClient) throws {
            let (seconds, bytes) = (maxDuration?.seconds, maxSize.map { Int64($0) << 20 })
            let body: RequestBody = ["name": name, "maxDuration": seconds, "maxBytes": bytes]
            let status = try client.decode(Status.self, client.send(.post, path, body))
            let id = status.id ?? ""
            guard seconds == nil || seconds == status.maxDuration, bytes == nil || bytes == status.maxBytes else {
                throw Failure("\(id) is being saved already, without this limit.")
            }
            Console.output("Saving to \(id).")
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Ends the file and prints its outcome.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            try client.decode(Status.self, client.send(.delete, path)).last?.printOutcome()
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Shows what is being saved, and how the last file ended.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let status = try client.get(Status.self, path)
            if let id = status.id {
                let gaps = status.gaps.map { $0 > 0 ? ", \($0) gaps" : "" } ?? ""
                var limits: [String] = []
                if let seconds = status.maxDuration { limits.append(TimeText.text(seconds)) }
                if let bytes = status.maxBytes { limits.append("\(bytes) bytes") }
                let most = limits.isEmpty ? "" : ", at most " + limits.joined(separator: " or ")
                Console.output("\(id), \(status.bytes ?? 0) bytes so far\(gaps)\(most)")
            }
            if let last = status.last { Console.output(last.explained) }
            if status.id == nil, status.last == nil { Console.output("Nothing is being saved (\(status.state)).") }
        }
    }

    private struct Status: Decodable {
        var state: String
        var id: String?
        var bytes: Int64?
        var gaps: Int?
        var maxDuration: Double?
        var maxBytes: Int64?
        var last: RecordingOutcome?
    }
}
