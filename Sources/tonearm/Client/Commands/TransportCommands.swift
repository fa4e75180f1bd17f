// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Play what is buffered before.")
    var drain = false

    private struct Body: Encodable { var drain: Bool }

    func run() throws { try options.client().silence("stop", Body(drain: drain)) }
}

struct SeekCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Goes to a position.",
        usage: "tonearm seek [--server <url>] [--token <token>] [--player <id>] 12.5|1:23|+10|-10|50%",
        discussion: SignedArgument.discussion("-10"))
    @OptionGroup var options: ClientOptions

    @Argument(
        parsing: .allUnrecognized,
        help: "Seconds, m:ss or h:mm:ss; with + or - from where it is; or a part of the whole in percent.")
    var target: [String]

    private var to: SeekTarget? { SignedArgument.only(target).flatMap(SeekTarget.init) }

    func validate() throws {
        guard to != nil else {
            throw ValidationError(
                "\(target.joined(separator: " ")) is no position such as 12.5, 1:23, +10, -10 or 50%.")
        }
    }

    func run() throws { try options.client().command("seek", to) }
}
