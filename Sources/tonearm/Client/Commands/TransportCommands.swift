// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension ServerClient {
    /// `POST /player/NAME`; prints what plays now.
    func command(_ name: String, _ body: (any Encodable)? = nil) throws {
        Console.say(try decode(PlayerState.self, send(.post, "\(PlayerState.path)/\(name)", body)).line)
    }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pauses at once.")
    @OptionGroup var options: ClientOptions

    func run() throws { try options.client().command("pause") }
}

struct ToggleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Pauses what plays, plays what is paused.")
    @OptionGroup var options: ClientOptions

    func run() throws { try options.client().command("toggle") }
}

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Play what is buffered before.")
    var drain = false

    private struct Body: Encodable { var drain: Bool }

    func run() throws { try options.client().command("stop", Body(drain: drain)) }
}

struct NextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "next", abstract: "Goes to the next item.")
    @OptionGroup var options: ClientOptions

    func run() throws { try options.client().command("next") }
}

struct PreviousCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Goes to the previous item, or to the beginning of this one.")
    @OptionGroup var options: ClientOptions

    func run() throws { try options.client().command("previous") }
}

struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Goes to a position.",
        usage: "tonearm seek [--server URL] [--token TOKEN] 12.5|1:23|+10|-10|50%")
    @OptionGroup var options: ClientOptions

    // Everything unknown, because -10 looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: "Seconds, m:ss or h:mm:ss; with + or - from where it is; or a part of the whole in percent.")
    var target: [String]

    func run() throws {
        guard target.count == 1, let to = SeekTarget(target[0]) else {
            throw ValidationError(
                "\(target.joined(separator: " ")) is no position such as 12.5, 1:23, +10, -10 or 50%.")
        }
        try options.client().command("seek", to)
    }
}
