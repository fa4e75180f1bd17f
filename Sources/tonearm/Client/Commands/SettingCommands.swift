// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Kernel
import Playback

/// The body of `PATCH /player`, for one member.
struct SettingChange: Encodable, Hashable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// `volume`, or `object.member`.
    var key: String
    var value: SettingValue

    init(_ key: String, _ value: SettingValue) {
        self.key = key
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        let names = key.split(separator: ".").map { Name(stringValue: String($0)) }
        var object = encoder.container(keyedBy: Name.self)
        for outer in names.dropLast() { object = object.nestedContainer(keyedBy: Name.self, forKey: outer) }
        guard let name = names.last else { return }
        switch value {
        case .none: try object.encodeNil(forKey: name)
        case .flag(let flag): try object.encode(flag, forKey: name)
        case .number(let number): try object.encode(number, forKey: name)
        case .text(let text): try object.encode(text, forKey: name)
        }
    }
}

extension ServerClient {
    func change(_ key: String, _ value: SettingValue) throws -> PlayerState {
        try change(SettingChange(key, value))
    }

    func change(_ change: SettingChange) throws -> PlayerState {
        try decode(PlayerState.self, send(.patch, PlayerState.path, change))
    }
}

struct SetCommand: ParsableCommand {
    private static let settings = PlayerSettings.table.filter { $0.place == .player }

    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes a setting of the player.",
        usage: "tonearm set [--server <url>] [--token <token>] [--player <id>] <key> <value>",
        discussion: settings.map {
            "\($0.key): \($0.words)" + ($0.isOptional ? ", or none" : "")
        }.joined(separator: "\n") + "\n\n" + SignedArgument.discussion("-0.5"))

    @OptionGroup var options: ClientOptions
    @Argument(help: "Its name.", completion: .list(settings.map(\.key))) var key: String
    @Argument(parsing: .allUnrecognized, help: "Its new value.") var value: [String]

    func validate() throws { _ = try change() }

    func run() throws { _ = try options.client().change(change()) }

    private func change() throws -> SettingChange {
        guard let setting = Self.settings.first(where: { $0.key == key }) else {
            throw ValidationError("\(key) is not a setting.")
        }
        guard let value = SignedArgument.only(value).flatMap({ setting.value(of: $0) }) else {
            throw ValidationError("\(key) must be \(setting.words).")
        }
        return SettingChange(key, value)
    }
}

extension Setting {
    /// What it accepts, as it is typed.
    fileprivate var words: String { form == .flag ? "on or off" : requirement }

    /// nil when the text is no value of the setting.
    func value(of text: String) -> SettingValue? {
        if isOptional, text == "none" { return SettingValue.none }
        let value: SettingValue? =
            switch form {
            case .flag: ["on": true, "true": true, "off": false, "false": false][text].map { .flag($0) }
            case .number: Double(text).map { .number($0) }
            case .choice, .text, .name: .text(text)
            }
        return value.flatMap { accepts($0) ? $0 : nil }
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
        let now = try target.map { try client.change($0.setting) } ?? client.get(PlayerState.self, PlayerState.path)
        Console.output("\(Int(clamping: (now.level * 100).rounded()))" + (now.muted ? " (muted)" : ""))
    }
}

struct ShuffleCommand: ParsableCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case on, off }

    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Plays the queue in random order, or not.")
    @OptionGroup var options: ClientOptions
    @Argument(help: "on or off.") var choice: Choice

    func run() throws { _ = try options.client().change("shuffle", .flag(choice == .on)) }
}

struct RepeatCommand: ParsableCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case off, one, all }

    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Repeats nothing, the item or the queue.")
    @OptionGroup var options: ClientOptions
    @Argument(help: "off, one or all.") var choice: Choice

    func run() throws { _ = try options.client().change("repeat", .text(choice.rawValue)) }
}
