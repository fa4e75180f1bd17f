// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct StopCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "stop", abstract: "Stops.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Play what is buffered before.")
    var drain = false

    func run(_ client: ServerClient) throws { try client.silence("stop", ["drain": drain]) }
}

struct SeekCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Goes to a position.",
        usage: "tonearm seek [--server <url>] [--token <token>] [--player <id>] 12.5|1:23|+10|-10|50%",
        discussion: SignedArgument.discussion("-10"))
    @OptionGroup var options: ClientOptions

    @Argument(
        parsing: .allUnrecognized,
        help: "Seconds, m:ss or h:mm:ss; with + or - from where it is; or a part of the whole in percent.")
    var target: [String]

    private var to: Target? { SignedArgument.only(target).flatMap(Target.position) }

    func validate() throws {
        guard to != nil else {
            throw ValidationError(
                "\(target.joined(separator: " ")) is no position such as 12.5, 1:23, +10, -10 or 50%.")
        }
    }

    func run(_ client: ServerClient) throws { try client.command("seek", to.map { [$0.member: $0.value] }) }
}
