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
        usage: "tonearm seek [--server URL] [--token TOKEN] [--player ID] 12.5|1:23|+10|-10|50%",
        discussion: "-10 may stand as it is, or behind -- as any other argument that begins with a hyphen.")
    @OptionGroup var options: ClientOptions

    // Everything unknown, because -10 looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: "Seconds, m:ss or h:mm:ss; with + or - from where it is; or a part of the whole in percent.")
    var target: [String]

    func run() throws {
        // Unknown as well, in this way of reading.
        let target = target.first == "--" ? Array(target.dropFirst()) : target
        guard target.count == 1, let to = SeekTarget(target[0]) else {
            throw ValidationError(
                "\(target.joined(separator: " ")) is no position such as 12.5, 1:23, +10, -10 or 50%.")
        }
        try options.client().command("seek", to)
    }
}
