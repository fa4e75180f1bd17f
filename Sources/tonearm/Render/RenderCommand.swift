// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

struct RenderCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Writes as a WAV file what playing a file would sound like, at full speed.",
        discussion: """
            The file keeps the source's sample rate and channels, with 16 bits. It appears under its name when it is \
            complete; until then it is OUTPUT.partial.
            """)

    @Argument(help: "File, or file: URL.", completion: .file())
    var input: String

    @Argument(help: "The WAV file to write; one that is there is replaced.", completion: .file(extensions: ["wav"]))
    var output: String

    @Option(help: "Where to begin: seconds, m:ss or h:mm:ss.")
    var start: TimeArgument?

    @Option(help: "How long to go on: seconds, m:ss or h:mm:ss.")
    var duration: TimeArgument?

    func validate() throws {
        if let duration, duration.seconds == 0 { throw ValidationError("--duration must be more than 0.") }
    }

    func run() throws {
        Signals.block()
        let media = try LocalMedia(input)
        let file = try OutputPath(output, input: media.path)
        var renderer = try Renderer(media, from: start?.seconds ?? 0, duration: duration?.seconds)
        try file.produce { path in try renderer.write(to: path) }
    }
}
