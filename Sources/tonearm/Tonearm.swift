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
                    UndoCommand.self, RedoCommand.self,
                    BrowseCommand.self, SearchCommand.self, ScanCommand.self, PlaylistsCommand.self,
                    OutputsCommand.self, PlayersCommand.self, RecordCommand.self, RecordStreamCommand.self,
                    SessionCommand.self,
                    InterruptCommand.self, AnnounceCommand.self, EffectCommand.self,
                    SleepCommand.self, AlarmCommand.self, RendersCommand.self,
                ]),
        ])

    /// They may stand before a command as well as behind it; ArgumentParser hands them down to the commands that take them.
    @OptionGroup(title: "Options of the commands to a running server") var options: ClientOptions

    /// Instead of ArgumentParser's, so that failures are a sentence with the command's name and their own status.
    static func main() {
        // The server is asked to end while it still starts: it ends as properly then.
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

    /// The server starts sooner when its command is parsed alone, without the tree of all others. What it cannot be, a
    /// mistake or `--help`, is reported by the tree.
    private static func parse() throws -> any ParsableCommand {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == ServeCommand._commandName,
            case .success(let serve) = Result(catching: { try ServeCommand.parse(Array(arguments.dropFirst())) })
        {
            return serve
        }
        if arguments.first == "help" { try checkHelp(arguments.dropFirst().filter { !$0.hasPrefix("-") }) }
        let command = try parseAsRoot()
        if command is any LocalCommand, let first = arguments.first, first != type(of: command)._commandName {
            let option = first.prefix { $0 != "=" }
            throw ValidationError("\(option) is for the commands to a running server.")
        }
        return command
    }

    /// ArgumentParser prints the general help for a command that it does not know.
    private static func checkHelp(_ names: [String]) throws {
        var command: any ParsableCommand.Type = Tonearm.self
        for name in names {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else {
                throw ValidationError("\(name) is not a command.")
            }
            command = next
        }
    }
}

/// A command that speaks to no server.
protocol LocalCommand: ParsableCommand {}

enum ServerVersion {
    static let text = "0.1.0"
}
