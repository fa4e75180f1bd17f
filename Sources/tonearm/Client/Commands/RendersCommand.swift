// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
internal import Kernel
import Media

struct RendersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "renders", "Lists, starts and cancels render jobs of a player, and downloads their files.",
        subcommands: [List.self, Start.self, Download.self, Cancel.self], defaultSubcommand: List.self)

    struct List: ShowingCommand {
        static let configuration = CommandConfiguration("list", "Shows the render jobs.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "renders") var json = false

        struct Answer: Decodable { var renders: [Job] }

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "renders") }

        func show(_ answer: Answer) {
            var table = Table(columns: [.left, .left, .left, .right, .left])
            for job in answer.renders {
                table.add(
                    job.id, job.status, job.format, job.duration.map { TimeText.text($0) } ?? job.percent,
                    job.error?.message ?? (job.skippedCount > 0 ? "\(job.skippedCount) skipped" : ""))
            }
            Console.output(table, orWithoutRows: "There are no render jobs.")
        }
    }

    struct Start: ClientCommand {
        enum Format: String, ExpressibleByArgument, CaseIterable { case wav, flac, opus }

        static let configuration = CommandConfiguration(
            "start", "Starts a render job on the server and prints its id.",
            discussion: "A URI has the same meaning as for tonearm play; without any, the queue is rendered.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "What to render, one after another.", completion: .file()) var uris: [String] = []
        @Option(help: "Format of the file (default wav).") var format: Format?
        @Option(help: "Start position: \(TimeArgument.forms).") var start: TimeArgument?
        @Option(help: "Length of the part, in the same form.") var duration: TimeArgument?
        @Flag(help: "As decoded, without the player's speed, pitch and effects.") var noEffects = false

        func run(_ client: ServerClient) throws {
            let body: RequestBody = [
                "items": uris.isEmpty ? nil : uris.map { MediaArgument($0) }, "queue": uris.isEmpty ? true : nil,
                "format": format?.rawValue, "start": start?.seconds, "duration": duration?.seconds,
                "effects": noEffects ? false : nil,
            ]
            let job: Job = try client.ask(.post, "renders", body, patience: ServerClient.addingTimeout)
            Console.output(job.id)
        }
    }

    struct Download: ClientCommand {
        static let configuration = CommandConfiguration(
            "download", "Writes the file of a completed render job.",
            discussion: "It is FILE.partial until it is complete; an existing file is replaced.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.", completion: ServerNames.renders.completion) var id: String
        @Argument(help: "The file to write (default: the id, with the ending of its format).", completion: .file())
        var file: String?

        func validate() throws {
            if file == "-" { throw ValidationError("Name a file.") }
        }

        func run(_ client: ServerClient) throws {
            let job: Job = try client.ask(.get, Job.path(id))
            guard job.status == "completed", ServerClient.isPlain(job.format) else {
                throw Failure("\(id) is \(job.status): it has no file\(job.error.map { " (\($0.message))" } ?? "").")
            }
            let name = file ?? "\(id).\(job.format)"
            try OutputPath(name).produce { try receive(client, into: $0) }
            Console.output(Table.printable("\(name) is written"))
        }

        /// Blocks until the file is on the disk.
        private func receive(_ client: ServerClient, into path: String) throws {
            func check(_ isDone: Bool) throws {
                guard !isDone else { return }
                throw Failure("cannot write \(path): \(String(cString: strerror(errno)))", .cannotCreate)
            }
            unlink(path)
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
            try check(number >= 0)
            let file = OwnedDescriptor(number)
            try client.receive(Job.path(id) + "/file", accept: "*/*") { try check(Console.write($0, to: file.number)) }
            try check(fsync(file.number) == 0)
        }
    }

    struct Cancel: ClientCommand {
        static let configuration = CommandConfiguration("cancel", "Cancels a render job and deletes its file.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Its id.", completion: ServerNames.renders.completion) var id: String

        func run(_ client: ServerClient) throws {
            try client.send(.delete, Job.path(id))
            Console.output("\(id) is removed")
        }
    }

    /// The members of a render job that the commands need.
    struct Job: Decodable {
        struct Fault: Decodable { var message: String }

        var id, status, format: String
        /// Items that could not be opened.
        var skippedCount: Int
        /// 0 to 1; nil while unknown.
        var progress: Double?
        var duration: Double?
        var error: Fault?

        static func path(_ id: String) throws -> String { try ServerClient.path("renders", id) }

        var percent: String { progress.map { "\(Int(clamping: $0 * 100)) %" } ?? "" }
    }
}
