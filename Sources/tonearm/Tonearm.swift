// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

@main
struct Tonearm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tonearm",
        abstract: "A headless playback server: REST, events, a web page, and the sound card of this machine.",
        version: ServerVersion.text,
        subcommands: [ServeCommand.self, RenderCommand.self, InfoCommand.self, DoctorCommand.self, LinkCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Playing (on a running server)",
                subcommands: [
                    PlayCommand.self, PauseCommand.self, ToggleCommand.self, StopCommand.self, NextCommand.self,
                    PreviousCommand.self, SeekCommand.self, VolumeCommand.self, MuteCommand.self, UnmuteCommand.self,
                    ShuffleCommand.self, RepeatCommand.self, SetCommand.self, EffectsCommand.self, StatusCommand.self,
                    LoopCommand.self, PrimeCommand.self, LevelsCommand.self,
                ]),
            CommandGroup(
                name: "Queue and music (on a running server)",
                subcommands: [
                    QueueCommand.self, AddCommand.self, RemoveCommand.self, MoveCommand.self, ClearCommand.self,
                    UndoCommand.self, RedoCommand.self, BrowseCommand.self, SearchCommand.self, ScanCommand.self,
                    PlaylistsCommand.self, OutputsCommand.self, PlayersCommand.self, RecordCommand.self,
                    RecordStreamCommand.self, SessionCommand.self, InterruptCommand.self, AnnounceCommand.self,
                    AnnouncementsCommand.self, EffectCommand.self, SleepCommand.self, AlarmCommand.self,
                    RendersCommand.self,
                ]),
        ])

    /// These options may precede a command too: ArgumentParser passes them on to commands that declare them.
    @OptionGroup(title: "Options of the commands to a running server") var options: ClientOptions

    /// Replaces ArgumentParser's `main`, so that a `Failure` is one sentence with its own exit status.
    static func main() {
        // A signal that arrives while the server starts ends it properly too.
        if CommandLine.arguments.dropFirst().first == ServeCommand._commandName { Signals.block() }
        do {
            var command = try parse()
            try command.run()
        } catch let failure as Failure {
            Console.complain("tonearm: \(failure.message)")
            Glibc.exit(failure.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// Parses `serve` alone: without the tree of all commands the server starts sooner. The tree reports mistakes and `--help`.
    private static func parse() throws -> any ParsableCommand {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == ServeCommand._commandName,
            case .success(let serve) = Result(catching: { try ServeCommand.parse(Array(arguments.dropFirst())) })
        {
            return serve
        }
        // ArgumentParser prints the general help of an unknown command.
        if arguments.first == "help" { try CommandNames.check(arguments.dropFirst(), in: Tonearm.self) }
        let command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch let error where exitCode(for: error) == .validationFailure {
            // ArgumentParser calls an unknown command an unexpected argument.
            try CommandNames.check(arguments, in: Tonearm.self)
            throw error
        }
        // ArgumentParser gives them to the root command, wherever they stand.
        if command is any LocalCommand,
            let option = ServerNames.options(in: arguments.prefix { $0 != "--" }).first?.prefix(while: { $0 != "=" })
        {
            throw ValidationError("\(option) is for the commands to a running server.")
        }
        return command
    }
}

/// A command that connects to no server.
protocol LocalCommand: ParsableCommand {}

enum ServerVersion {
    static let text = "0.1.0"
}
