// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Numbers

/// `PATCH /player`
struct SettingsChange: Encodable, Hashable {
    var level: Double?
    var levelBy: Double?
    var muted: Bool?
    var shuffle: Bool?
    var `repeat`: String?
}

extension ServerClient {
    func change(_ settings: SettingsChange) throws -> PlayerState {
        try decode(PlayerState.self, send(.patch, PlayerState.path, settings))
    }
}

struct VolumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Shows or changes the volume, as it is perceived.",
        usage: "tonearm volume [--server <url>] [--token <token>] [--player <id>] [0-100|+5|-5]",
        discussion: SignedArgument.discussion("-5"))
    @OptionGroup var options: ClientOptions

    @Argument(parsing: .allUnrecognized, help: "Percent, where half is 18 dB quieter; + or - makes it a step.")
    var volume: [String] = []

    private var target: VolumeTarget? { SignedArgument.only(volume).flatMap(VolumeTarget.init) }

    func validate() throws {
        guard volume.isEmpty || target != nil else {
            throw ValidationError("\(volume.joined(separator: " ")) is no volume such as 80, +5 or -5 (0 to 100).")
        }
    }

    func run() throws {
        let client = try options.client()
        let now = try target.map { try client.change($0.settings) } ?? client.get(PlayerState.self, PlayerState.path)
        Console.say("\(Int(clamping: (now.level * 100).rounded()))" + (now.muted ? " (muted)" : ""))
    }
}

struct ShuffleCommand: ParsableCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case on, off }

    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Plays the queue in random order, or not.")
    @OptionGroup var options: ClientOptions
    @Argument(help: "on or off.") var choice: Choice

    func run() throws { _ = try options.client().change(SettingsChange(shuffle: choice == .on)) }
}

struct RepeatCommand: ParsableCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case off, one, all }

    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Repeats nothing, the item or the queue.")
    @OptionGroup var options: ClientOptions
    @Argument(help: "off, one or all.") var choice: Choice

    func run() throws { _ = try options.client().change(SettingsChange(repeat: choice.rawValue)) }
}
