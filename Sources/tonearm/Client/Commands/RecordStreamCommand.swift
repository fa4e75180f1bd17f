// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct RecordStreamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record-stream",
        abstract: "Saves what the current item sends over the network, on a server that runs with --recordings.",
        subcommands: [Start.self, Stop.self, Show.self], defaultSubcommand: Start.self)

    private static let path = "/api/v1/player/record-stream"

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Begins a file, unless one is made already.")
        @OptionGroup var options: ClientOptions

        @Option(help: "Name for the file, without extension (default: the time).")
        var name: String?

        private struct Request: Encodable {
            var name: String?
        }

        func run() throws {
            let client = try options.client()
            let status = try client.decode(Status.self, client.send(.post, path, Request(name: name)))
            Console.say("Saving to \(status.id ?? "").")
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Ends the file and tells what became of it.")
        @OptionGroup var options: ClientOptions

        func run() throws {
            let client = try options.client()
            guard let last = try client.decode(Status.self, client.send(.delete, path)).last else { return }
            guard last.successfully else { throw Failure("\(last.text): \(last.message ?? last.reason)") }
            Console.say(last.text)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Tells what is being saved, and how the last file ended.")
        @OptionGroup var options: ClientOptions

        func run() throws {
            let status = try options.client().get(Status.self, path)
            if let id = status.id {
                let gaps = status.gaps.map { $0 > 0 ? ", \($0) gaps" : "" } ?? ""
                Console.say("\(id), \(status.bytes ?? 0) bytes so far\(gaps)")
            }
            if let last = status.last { Console.say("\(last.text): \(last.message ?? last.reason)") }
            if status.id == nil, status.last == nil { Console.say("Nothing is being saved (\(status.state)).") }
        }
    }

    private struct Status: Decodable {
        struct Last: Decodable {
            var id: String
            var successfully: Bool
            var reason: String
            var bytes: Int64
            var message: String?

            var text: String { "\(id), \(bytes) bytes" }
        }
        var state: String
        var id: String?
        var bytes: Int64?
        var gaps: Int?
        var last: Last?
    }
}
