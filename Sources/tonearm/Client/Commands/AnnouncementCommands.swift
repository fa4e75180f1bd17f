// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playback

struct AnnounceCommand: ClientCommand {
    enum Music: String, ExpressibleByArgument, CaseIterable { case duck, pause }
    enum Priority: String, ExpressibleByArgument, CaseIterable { case low, normal, high }

    static let configuration = CommandConfiguration(
        "announce", "Plays an announcement beside the music, which is quieter or silent meanwhile.",
        discussion: """
            Announcements wait for each other; one of a higher priority suspends a lower one. Several URIs are heard without \
            a gap. A URI has the same meaning as for tonearm play, but is a single sound. tonearm announcements \
            lists and ends them; Ctrl-C ends this command only.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "What to announce: files or addresses, in order.", completion: .file()) var uris: [String]
    @Option(value: "uri", "A file or address that plays first.", completion: .file()) var chime: String?

    @Option(value: "seconds", "How long its first sound may take, 1 to 600 (default 30 for addresses, else 5).")
    var timeout: Double?

    @Flag(help: "Wait until it has ended.") var wait = false
    @Option(help: "Whether the music is quieter or pauses (default duck).") var music: Music?

    // The value may begin with a minus.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How much quieter the music is, -80 to 0 (default -20).", valueName: "decibels"))
    var duck: Double?

    @Option(help: "Its priority (default normal).") var priority: Priority?
    @Option(help: "Volume, 0 to 100 (default: the music's).") var volume: Int?

    @Option(
        help: "Id of an output (see tonearm outputs; default: the music's output).",
        completion: ServerNames.outputs.completion)
    var output: String?

    /// Seconds: this announcement and a full queue before it, each of the maximum length.
    private static let longestWait = 3 * 3_600

    func validate() throws {
        for uri in uris + [chime].compactMap(\.self) { try SoundArgument.check(uri) }
        try check("--volume", volume.map(Double.init), 0...100)
        if uris.count > 8 { throw ValidationError("At most 8 URIs make one announcement.") }
        try check("--timeout", timeout, 1...600)
        try check("--duck", duck, -80...0)
        if duck != nil, music == .pause { throw ValidationError("--duck cannot go with --music pause.") }
    }

    func run(_ client: ServerClient) throws {
        let body: RequestBody = [
            "parts": uris.map { MediaArgument($0).uri }, "chime": chime.map { MediaArgument($0).uri },
            "timeout": timeout, "wait": wait, "volume": volume.map(SoundArgument.amplitude),
            "music": music?.rawValue, "duck": duck, "priority": priority?.rawValue, "output": output,
        ]
        let patience = wait ? Self.longestWait : ServerClient.timeout
        let sound: SoundState = try client.ask(.post, "announcements", body, patience: patience)
        if let reason = sound.reason, reason != "finished" { throw Failure("\(sound.id) was \(reason).") }
        if let state = sound.state { Console.output("\(sound.id) \(state)") }
    }
}

struct AnnouncementsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "announcements", "Lists and ends the announcements and sound effects of a player.",
        subcommands: [List.self, Stop.self], defaultSubcommand: List.self)

    struct Answer: Decodable { var announcements: [Entry] }

    /// An announcement or a sound effect.
    struct Entry: Decodable {
        var id, state: String
        var chime, output: String?
        var parts: [String]

        var waits: Bool { ["waiting", "set-aside"].contains(state) }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration("list", "Shows those that play or wait.")
        @OptionGroup var options: ClientOptions

        @Flag(json: "announcements") var json = false

        func run(_ client: ServerClient) throws {
            try client.show(client.send(.get, "announcements"), json: json) { (answer: Answer) in
                try show(answer.announcements + client.soundEffects())
            }
        }

        private func show(_ entries: [Entry]) {
            var table = Table(columns: [.left, .left, .left, .left])
            for entry in entries {
                let sounds = [entry.chime].compactMap(\.self) + entry.parts
                table.add(entry.id, entry.state, entry.output ?? "", sounds.joined(separator: ", "))
            }
            Console.output(table, orWithoutRows: "There are no announcements.")
        }
    }

    struct Stop: ClientCommand {
        static let configuration = CommandConfiguration(
            "stop", "Ends announcements, also those that wait, and sound effects.")
        @OptionGroup var options: ClientOptions

        @Argument(help: "Their ids (default all).", completion: ServerNames.announcements.completion)
        var ids: [String] = []

        func run(_ client: ServerClient) throws {
            let effects = try client.soundEffects()
            let targets = try ids.isEmpty ? all(client, effects) : ids
            for id in targets {
                let base = effects.contains { $0.id == id } ? "sfx" : "announcements"
                do {
                    try client.send(.delete, ServerClient.path(base, id))
                } catch let refusal as Failure where refusal.status == .general && ids.isEmpty {
                    // It has ended since.
                }
                Console.output("\(id) has ended")
            }
            if targets.isEmpty { Console.output("There are no announcements.") }
        }

        /// Those that wait come first: the end of one that is heard starts one that waits.
        private func all(_ client: ServerClient, _ effects: [Entry]) throws -> [String] {
            let answer: Answer = try client.ask(.get, "announcements")
            return (answer.announcements + effects).sorted { $0.waits && !$1.waits }.map(\.id)
        }
    }
}

struct EffectCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "sfx", "Plays a short sound beside the unchanged music.",
        discussion: """
            A URI has the same meaning as for tonearm play, but is a single sound. tonearm announcements lists and ends it.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "What to play: a file or an address.", completion: .file()) var uri: String
    @Option(help: "Volume, 0 to 100 (default: the music's).") var volume: Int?

    func validate() throws {
        try SoundArgument.check(uri)
        try check("--volume", volume.map(Double.init), 0...100)
    }

    func run(_ client: ServerClient) throws {
        let body: RequestBody = [
            "uri": MediaArgument(uri).uri, "volume": volume.map(SoundArgument.amplitude),
        ]
        let sound: SoundState = try client.ask(.post, "sfx", body)
        if let state = sound.state { Console.output("\(sound.id) \(state)") }
    }
}

extension ServerClient {
    fileprivate func soundEffects() throws -> [AnnouncementsCommand.Entry] {
        struct Answer: Decodable { var effects: [AnnouncementsCommand.Entry] }
        let answer: Answer = try ask(.get, "sfx")
        return answer.effects
    }
}

private struct SoundState: Decodable {
    var id: String
    /// nil once it has ended.
    var state: String?
    /// The cause of the end.
    var reason: String?
}

private enum SoundArgument {
    static func check(_ uri: String) throws {
        if uri.isEmpty { throw ValidationError("The URI must not be empty.") }
        if uri.hasSuffix("/") { throw ValidationError("\(uri) is a folder.") }
    }

    static func amplitude(_ volume: Int) -> Double { Level.amplitude(Double(volume) / 100) }
}
