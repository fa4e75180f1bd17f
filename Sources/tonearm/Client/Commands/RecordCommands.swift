// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Service

extension RecordingSettings.Container: ExpressibleByArgument {}

extension RecordingName {
    fileprivate static let help: ArgumentHelp = "Name for the file, without extension (default: the time). It \(rule)."
}

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "record", "Records on the server, which must run with --recordings.",
        subcommands: [Start.self, Pause.self, Stop.self, List.self], defaultSubcommand: List.self)

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration(
            "start", "Starts a recording, or resumes a paused one.",
            discussion: """
                The session must allow it: tonearm session --category play-and-record, which needs a microphone or line \
                input. A monitor of an output does not count as one.
                """)
        @OptionGroup var options: ClientOptions

        @Option(help: "Format of the file (default wav).") var format: RecordingSettings.Container?
        @Option(value: "hertz", "Sample rate (default 8000).") var rate: Int?
        @Option(help: "Number of channels, 1 to 8 (default 1).") var channels: Int?
        @Option(help: "Bits of a sample: 8, 16, 24 or 32 (default 16).") var bits: Int?
        @Option(help: RecordingName.help) var name: String?
        @Option(
            value: "id",
            "Source of the sound server (default: its default source); it records an output's monitor only if that is named."
        )
        var source: String?
        @Flag(help: "Play it when it is done.") var autoPlay = false

        func validate() throws {
            var settings = RecordingSettings()
            settings.container = format ?? settings.container
            settings.sampleRate = rate ?? settings.sampleRate
            settings.channelCount = channels ?? settings.channelCount
            settings.bits = bits ?? settings.bits
            settings.name = name
            if let problem = settings.problem { throw ValidationError(problem.detail) }
        }

        func run(_ client: ServerClient) throws {
            let settings: RequestBody = [
                "format": format?.rawValue, "sampleRate": rate, "channels": channels, "bits": bits, "name": name,
                "source": source,
            ]
            // The server would leave a recording in progress as it is.
            if !settings.isEmpty || autoPlay {
                let present: RecordingStatus = try client.ask(.get, "recordings/current")
                if let id = present.id {
                    throw Failure("\(id) is in progress and keeps its settings; tonearm record stop ends it.")
                }
            }
            let body: RequestBody = settings + ["autoPlay": autoPlay, "metering": false]
            do {
                let status: RecordingStatus = try client.ask(.post, "recordings", body)
                Console.output("Recording \(status.id ?? "") from \(status.source ?? "the default source").")
            } catch var failure as Failure where failure.message.contains("play-and-record is needed") {
                failure.message += " To allow it: tonearm session --category play-and-record"
                throw failure
            }
        }
    }

    struct Pause: ClientCommand {
        static let configuration = CommandConfiguration("pause", "Pauses the recording.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let status: RecordingStatus = try client.ask(.post, "recordings/current/pause")
            // The sound before the pause may meet a full disk or the size limit, which ends the recording.
            guard status.state == "paused" else {
                throw Failure(status.last?.explained ?? "Nothing is being recorded.")
            }
            Console.output("\(status.id ?? "") is paused.")
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration("stop", "Ends the recording and prints its outcome.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let status: RecordingStatus = try client.ask(.post, "recordings/current/stop")
            try status.last?.printOutcome()
        }
    }

    struct List: ShowingCommand {
        static let configuration = CommandConfiguration("list", "Lists the recordings, the newest first.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "recordings") var json = false

        struct Answer: Decodable {
            struct Entry: Decodable {
                var id: String
                var duration: Double?
                var recovered: Bool
            }
            var status: RecordingStatus
            var recordings: [Entry]
        }

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "recordings") }

        func show(_ answer: Answer) {
            var table = Table(columns: [.left, .right, .left])
            if let id = answer.status.id { table.add(id, TimeText.text(answer.status.duration), answer.status.state) }
            for entry in answer.recordings {
                table.add(entry.id, TimeText.text(entry.duration), entry.recovered ? "recovered" : "")
            }
            Console.output(table, orWithoutRows: "There are no recordings.")
        }
    }
}

struct RecordStreamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "record-stream", "Saves the current web item to a file, on a server that runs with --recordings.",
        subcommands: [Start.self, Stop.self, Show.self], defaultSubcommand: Start.self)

    struct Start: ClientCommand {
        static let configuration = CommandConfiguration("start", "Starts a file, unless one is in progress.")
        @OptionGroup var options: ClientOptions

        @Option(help: RecordingName.help) var name: String?
        @Option(help: "Maximum duration, a week at most: \(TimeArgument.forms).") var maxDuration: TimeArgument?
        @Option(value: "megabytes", "Maximum size of the file.") var maxSize: Int?

        func validate() throws {
            if let name, !RecordingName.isValid(name) { throw ValidationError("--name \(RecordingName.rule).") }
            if let maxDuration, !(1...604_800).contains(maxDuration.seconds) {
                throw ValidationError("--max-duration must be 1 s to a week.")
            }
            if let maxSize, !(1...900_000).contains(maxSize) {
                throw ValidationError("--max-size must be 1 to 900000 megabytes.")
            }
        }

        func run(_ client: ServerClient) throws {
            let (seconds, bytes) = (maxDuration?.seconds, maxSize.map { Int64($0) * 1_000_000 })
            let body: RequestBody = ["name": name, "maxDuration": seconds, "maxBytes": bytes]
            let status: RecordingStatus = try client.ask(.post, "player/record-stream", body)
            let id = status.id ?? ""
            let isNamed = name.map { id.hasPrefix($0 + ".") || id.hasPrefix($0 + "-") } ?? true
            guard isNamed, seconds == nil || seconds == status.maxDuration, bytes == nil || bytes == status.maxBytes
            else { throw Failure("\(id) is being saved already, with other options.") }
            Console.output("Saving to \(id).")
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration("stop", "Ends the file and prints its outcome.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let status: RecordingStatus = try client.ask(.delete, "player/record-stream")
            try status.last?.printOutcome()
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            "status", "Shows the file in progress and the result of the last one.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws {
            let status: RecordingStatus = try client.ask(.get, "player/record-stream")
            if let id = status.id {
                let gaps = status.gaps.map { $0 > 0 ? ", \($0) gaps" : "" } ?? ""
                var limits: [String] = []
                if let seconds = status.maxDuration { limits.append(TimeText.text(seconds)) }
                if let bytes = status.maxBytes { limits.append("\(bytes) bytes") }
                let most = limits.isEmpty ? "" : ", at most " + limits.joined(separator: " or ")
                Console.output("\(id), \(status.bytes ?? 0) bytes so far\(gaps)\(most)")
            }
            if let last = status.last { Console.output(last.explained) }
            if status.id == nil, status.last == nil { Console.output("Nothing is being recorded (\(status.state)).") }
        }
    }
}

/// The state of the recorder, or of a stream that is saved.
struct RecordingStatus: Decodable {
    var state: String
    var id, source: String?
    /// Recorder only.
    var duration: Double?
    /// Streams only.
    var bytes, maxBytes: Int64?
    var gaps: Int?
    var maxDuration: Double?
    var last: RecordingOutcome?
}

/// The outcome of the last recording, or of the last stream that was saved.
struct RecordingOutcome: Decodable {
    var id, reason: String
    var successfully: Bool
    /// Recorder only.
    var duration: Double?
    /// Streams only.
    var bytes: Int64?
    var message: String?

    private var extent: String { bytes.map { "\($0) bytes" } ?? TimeText.text(duration) }

    var text: String { "\(id), \(extent)" }

    var explained: String { "\(text): \(message ?? reason)" }

    /// For commands that end a recording. An incomplete one is a failure.
    func printOutcome() throws {
        guard successfully else { throw Failure(explained) }
        Console.output(text)
    }
}
