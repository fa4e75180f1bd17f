// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Playback
import RemoteAPI
import Service

struct RenderCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        "render", "Renders a file as it would sound, at full speed.",
        discussion: """
            The ending of OUTPUT chooses the format: .wav, .flac or .opus. WAV and FLAC keep the source's sample rate and \
            channels, with 16 bits. The file appears under its name when it is complete; until then it is OUTPUT.partial.
            """)

    @Argument(help: "File, or file: URL.", completion: .file()) var input: String

    @Argument(
        help: "The file to write; an existing file is replaced.", completion: .file(extensions: Self.formats))
    var output: String

    @Option(help: "Start position: \(TimeArgument.forms).") var start: TimeArgument?
    @Option(help: "Duration, in the same form.") var duration: TimeArgument?

    @Option(
        help: ArgumentHelp("JSON file as returned by GET /api/v1/effects.", valueName: "file"), completion: .file())
    var effects: String?

    @Option(help: "Media seconds per second, 0.25 to 4.") var speed = 1.0
    @Option(help: "Change of the pitch in cents, -1200 to 1200.") var pitch = 0.0
    @Flag(inversion: .prefixedNo, help: "Whether the pitch stays when the speed changes.") var preservePitch = true

    private static let formats = RecordingSettings.Container.rendered.map(\.rawValue)

    /// The format of the output's extension.
    private var container: RecordingSettings.Container? {
        RecordingSettings.Container.rendered.first { output.lowercased().hasSuffix(".\($0.rawValue)") }
    }

    func validate() throws {
        guard PlayerSettings.playbackRates.contains(speed) else {
            throw ValidationError("--speed must be from 0.25 to 4.")
        }
        guard (-1_200...1_200).contains(pitch) else { throw ValidationError("--pitch must be from -1200 to 1200.") }
        if let duration, duration.seconds == 0 { throw ValidationError("--duration must be more than 0.") }
    }

    func run() throws {
        Signals.block()
        let media = try LocalMedia(input)
        let file = try OutputPath(output, input: media.path)
        guard let container else {
            let endings = Self.formats.map { ".\($0)" }.joined(separator: ", ")
            throw Failure("\(output) has no known format: give a file that ends in one of \(endings)")
        }
        let effects = try effects.map { try Self.effects(from: $0) }
        if effects?.isEnabled == false { Console.complain("The effects are switched off (\"enabled\": false).") }
        let renderer = try Renderer(
            media, as: container, from: start?.seconds ?? 0, duration: duration?.seconds, effects: effects ?? .off,
            tempo: Tempo(rate: speed, cents: pitch, preservesPitch: preservePitch))
        try file.produce { path in try renderer.write(to: path) }
    }

    private static func effects(from path: String) throws -> EffectSettings {
        let json = try ConfigurationFile.read(path, setting: "effects")
        do throws(PlaybackError) {
            return try RemoteAPI.effects(json: json)
        } catch {
            throw Failure.configuration("effects: \(path): \(error.message)")
        }
    }
}
