// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import Kernel
import Playback

extension ServerClient {
    @discardableResult
    func change(_ body: RequestBody) throws -> PlayerState { try ask(.patch, "player", body) }

    /// Prints the new volume.
    func changeVolume(_ body: RequestBody) throws { try Console.output(change(body).volumeText) }
}

extension RequestBody {
    /// `key`: a member such as `volume`, or a member of an object such as `fades.pause`.
    init(_ key: String, _ value: SettingValue) {
        let json: any Encodable =
            switch value {
            case .none: Null()
            case .flag(let flag): flag
            case .number(let number): number
            case .text(let text): text
            }
        let names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        self = names.dropLast().reversed().reduce([names[names.count - 1]: json]) { [$1: $0] }
    }
}

struct SetCommand: ClientCommand {
    private static let settings = PlayerSettings.table.filter { $0.place == .player }

    static let configuration = CommandConfiguration(
        "set", "Changes a setting of the player.",
        usage: "tonearm set [--server <url>] [--token <token>] [--player <id>] <key> <value>",
        discussion: settings.map { "\($0.key): \($0.words)" + ($0.meaning.isEmpty ? "" : " (\($0.meaning))") }
            .joined(separator: "\n") + "\n\n" + SignedArgument.discussion("-0.5"))

    @OptionGroup var options: ClientOptions
    @Argument(help: "Its name.", completion: .list(settings.map(\.key))) var key: String
    @Argument(parsing: .allUnrecognized, help: "Its new value.") var value: [String]

    func validate() throws { _ = try change() }

    func run(_ client: ServerClient) throws {
        try client.change(change())
        Console.output(Table.printable("\(key) \(SignedArgument.only(value) ?? "")"))
    }

    private func change() throws -> RequestBody {
        guard let setting = Self.settings.first(where: { $0.key == key }) else {
            let advice = key == "speed" ? "playbackRate is the speed" : "tonearm help set lists them"
            throw ValidationError("\(key) is not a setting; \(advice).")
        }
        guard let value = SignedArgument.only(value).flatMap({ setting.value(of: $0) }) else {
            let advice = key == "volume" ? " In percent: tonearm volume \(value.joined(separator: " "))" : ""
            throw ValidationError("\(key) must be \(setting.words).\(advice)")
        }
        return RequestBody(key, value)
    }
}

extension Setting {
    /// The accepted values, as the user types them.
    fileprivate var words: String { (form == .flag ? "on or off" : form.requirement) + (isOptional ? ", or none" : "") }

    /// nil if the setting does not accept this text.
    func value(of text: String) -> SettingValue? {
        if isOptional, text == "none" { return SettingValue.none }
        let value: SettingValue? =
            switch form {
            case .flag: SettingValue.flag(of: text).map { .flag($0) }
            case .number: Double(text).map { .number($0) }
            case .choice, .text, .name: .text(text)
            }
        return value.flatMap { accepts($0) ? $0 : nil }
    }
}

extension SettingValue {
    /// nil if the text is neither on nor off.
    static func flag(of text: String) -> Bool? { ["on": true, "true": true, "off": false, "false": false][text] }
}

struct VolumeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "volume", "Shows or changes the volume (perceived loudness).",
        usage: "tonearm volume [--server <url>] [--token <token>] [--player <id>] [0-100|+5|-5]",
        discussion: SignedArgument.discussion("-5"))
    @OptionGroup var options: ClientOptions

    @Argument(parsing: .allUnrecognized, help: "Percent, where half is 18 dB quieter; + or - makes it a step.")
    var volume: [String] = []

    private var target: Target? { SignedArgument.only(volume).flatMap(Target.volume) }

    func validate() throws {
        guard volume.isEmpty || target != nil else {
            throw ValidationError("\(volume.joined(separator: " ")) is not a volume such as 80, +5 or -5 (0 to 100).")
        }
    }

    func run(_ client: ServerClient) throws {
        if let target { return try client.changeVolume([target.member: target.value]) }
        let now: PlayerState = try client.ask(.get, "player")
        Console.output(now.volumeText)
    }
}

extension PlayerState {
    fileprivate var volumeText: String { "\(Int(clamping: (level * 100).rounded()))" + (muted ? " (muted)" : "") }
}

struct ShuffleCommand: ClientCommand {
    static let configuration = CommandConfiguration("shuffle", "Plays the queue in random order, or not.")
    @OptionGroup var options: ClientOptions
    @Argument(help: ArgumentHelp("Whether the order is random.", valueName: "on|off")) var choice: Switch

    func run(_ client: ServerClient) throws {
        let now = try client.change(["shuffle": choice == .on])
        Console.output("shuffle \(now.shuffle ? "on" : "off")")
    }
}

struct RepeatCommand: ClientCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case off, one, all }

    static let configuration = CommandConfiguration("repeat", "Repeats nothing, the item or the queue.")
    @OptionGroup var options: ClientOptions
    @Argument(help: ArgumentHelp("Nothing, the item or the queue.", valueName: "off|one|all")) var choice: Choice

    func run(_ client: ServerClient) throws {
        let now = try client.change(["repeat": choice.rawValue])
        Console.output(Table.printable("repeat \(now.repeat)"))
    }
}
