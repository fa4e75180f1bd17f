// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
internal import Kernel
import Playback
import RemoteAPI

struct EffectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "effects", "Shows or changes the equaliser, loudness, limiter and other effects.",
        subcommands: [
            Show.self, On.self, Off.self, Set.self, UsePreset.self, Presets.self, Import.self, Save.self, Remove.self,
        ],
        defaultSubcommand: Show.self)

    private static func path(of preset: String) -> String { "effects/presets/\(PercentEncoding.encode(preset))" }

    struct Effects: Decodable {
        struct Switch: Decodable { var enabled: Bool }
        struct Loudness: Decodable { var mode: String }
        struct Equalizer: Decodable {
            var enabled: Bool
            var preset: String?
            var bands: [Band]
        }
        struct Compressor: Decodable {
            var enabled: Bool
            var preset: String
        }
        struct Reverb: Decodable {
            var enabled: Bool
            /// 0 to 1.
            var mix: Double
        }
        struct Limiter: Decodable {
            var enabled: Bool
            var ceiling: Double
        }

        var enabled, mono: Bool
        var loudness: Loudness
        var equalizer: Equalizer
        var compressor: Compressor
        var limiter: Limiter
        var crossfeed: Switch
        var reverb: Reverb
        var width: Double
        /// Milliseconds.
        var delay: Double

        var text: String {
            var words = [enabled ? "on" : "off"]
            if loudness.mode != "off" { words.append("loudness by \(loudness.mode)") }
            if equalizer.enabled {
                words.append("equalizer " + (equalizer.preset ?? "with \(Band.count(equalizer.bands))"))
            }
            if compressor.enabled { words.append("compressor \(compressor.preset)") }
            if crossfeed.enabled { words.append("crossfeed") }
            if mono { words.append("mono") } else if width != 1 { words.append("width \(width)") }
            if reverb.enabled { words.append("reverb \(Int(clamping: (reverb.mix * 100).rounded())) %") }
            if delay > 0 { words.append("delay \(delay) ms") }
            if limiter.enabled { words.append("limiter at \(limiter.ceiling) dB") }
            return words.joined(separator: ", ")
        }

        /// Returns the effect of a member such as `compressor.preset` if it is off, so that the member has no result yet.
        func effectThatIsOff(of member: String) -> String? {
            let switches = [
                "equalizer": equalizer.enabled, "compressor": compressor.enabled, "limiter": limiter.enabled,
                "crossfeed": crossfeed.enabled, "reverb": reverb.enabled,
            ]
            let effect = String(member.prefix { $0 != "." })
            return switches[effect] == false && !member.hasSuffix(".enabled") ? effect : nil
        }
    }

    /// Has no members: bands are only counted.
    struct Band: Decodable {
        static func count(_ bands: [Band]) -> String { bands.count == 1 ? "1 band" : "\(bands.count) bands" }
    }

    struct Show: ShowingCommand {
        static let configuration = CommandConfiguration("show", "Shows the effects.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "effects") var json = false

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "effects") }

        func show(_ answer: Effects) { Console.output(answer.text) }
    }

    struct On: ClientCommand {
        static let configuration = CommandConfiguration("on", "Switches the effects on, with their settings.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws { try client.changeEffects(["enabled": true]) }
    }

    struct Off: ClientCommand {
        static let configuration = CommandConfiguration("off", "Switches the effects off; their settings stay.")
        @OptionGroup var options: ClientOptions

        func run(_ client: ServerClient) throws { try client.changeEffects(["enabled": false]) }
    }

    struct Set: ClientCommand {
        static let configuration = CommandConfiguration(
            "set", "Changes one member of the effects.",
            usage: "tonearm effects set [--server <url>] [--token <token>] [--player <id>] <member> <value>",
            discussion: """
                Examples: loudness.mode auto, equalizer.enabled on, equalizer.preamp -3, compressor.preset night, limiter.ceiling -1, \
                crossfeed.enabled on, width 1.2, mono on. \(SignedArgument.discussion("-3"))
                """)
        @OptionGroup var options: ClientOptions
        @Argument(help: "Its name in the API.") var member: String
        @Argument(parsing: .allUnrecognized, help: "Its new value.") var value: [String]

        func validate() throws {
            do {
                _ = try RemoteAPI.effects(json: [UInt8](JSONEncoder().encode(change())))
            } catch let error as PlaybackError {
                // Only the server knows the saved presets.
                if error.member != "equalizer.preset" { throw ValidationError(error.message) }
            }
        }

        func run(_ client: ServerClient) throws {
            let effects = try client.changeEffects(change())
            if let effect = effects.effectThatIsOff(of: member) {
                Console.output("The \(effect) is off; to switch it on: tonearm effects set \(effect).enabled on")
            }
        }

        private func change() throws -> RequestBody {
            guard let text = SignedArgument.only(value) else { throw ValidationError("\(member) needs one value.") }
            if text.hasPrefix("[") || text.hasPrefix("{") {
                throw ValidationError("The command line sets single values; save bands with tonearm effects import.")
            }
            // For a mode, `off` is a text.
            let new: SettingValue =
                if let flag = SettingValue.flag(of: text), !member.hasSuffix("mode") {
                    .flag(flag)
                } else if let number = Double(text), number.isFinite { .number(number) } else { .text(text) }
            return RequestBody(member, new)
        }
    }

    struct UsePreset: ClientCommand {
        static let configuration = CommandConfiguration("preset", "Switches the equaliser on with a preset.")
        @OptionGroup var options: ClientOptions
        @Argument(help: "Its name: tonearm effects presets lists them.", completion: ServerNames.presets.completion)
        var name: String

        func run(_ client: ServerClient) throws {
            let equalizer: RequestBody = ["enabled": true, "preset": name]
            try client.changeEffects(["enabled": true, "equalizer": equalizer])
        }
    }

    struct Presets: ShowingCommand {
        static let configuration = CommandConfiguration("presets", "Lists the presets.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "effects/presets") var json = false

        struct Answer: Decodable {
            struct Preset: Decodable {
                var name: String
                var bands: [Band]
            }
            var presets: [Preset]
        }

        func ask(_ client: ServerClient) throws -> [UInt8] { try client.send(.get, "effects/presets") }

        func show(_ answer: Answer) {
            var table = Table(columns: [.left, .right])
            for preset in answer.presets { table.add(preset.name, Band.count(preset.bands)) }
            Console.output(table.text)
        }
    }

    struct Import: ClientCommand {
        static let configuration = CommandConfiguration(
            "import", "Saves a ParametricEQ or GraphicEQ text of AutoEQ or Equalizer APO as a preset.")
        @OptionGroup var options: ClientOptions
        @Argument(help: "The preset's name.") var name: String
        @Argument(help: "The text file.", completion: .file()) var file: String

        func run(_ client: ServerClient) throws {
            do {
                let text = String(decoding: try ConfigurationFile.read(file, setting: "import"), as: UTF8.self)
                try client.send(.post, "effects/presets", ["name": name, "text": text])
                Console.output(Table.printable("\(name) is saved"))
            } catch let failure as Failure where failure.status == .configuration {
                // The file is not part of the configuration.
                throw Failure(failure.message)
            }
        }
    }

    struct Save: ClientCommand {
        static let configuration = CommandConfiguration("save", "Saves the equaliser's curve as a preset.")
        @OptionGroup var options: ClientOptions
        @Argument(help: "The preset's name.", completion: ServerNames.presets.completion) var name: String

        func run(_ client: ServerClient) throws {
            try client.send(.put, EffectsCommand.path(of: name))
            Console.output(Table.printable("\(name) is saved"))
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration("remove", "Deletes a preset.")
        @OptionGroup var options: ClientOptions
        @Argument(help: "The preset's name.", completion: ServerNames.presets.completion) var name: String

        func run(_ client: ServerClient) throws {
            try client.send(.delete, EffectsCommand.path(of: name))
            Console.output(Table.printable("\(name) is removed"))
        }
    }
}

extension ServerClient {
    @discardableResult
    fileprivate func changeEffects(_ change: RequestBody) throws -> EffectsCommand.Effects {
        let effects: EffectsCommand.Effects = try ask(.patch, "effects", change)
        Console.output(effects.text)
        return effects
    }
}
