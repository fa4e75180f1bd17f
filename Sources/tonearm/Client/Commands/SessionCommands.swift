// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Service

extension SessionCategory: ExpressibleByArgument {}
extension SessionMode: ExpressibleByArgument {}

struct SessionCommand: ShowingCommand {
    static let configuration = CommandConfiguration(
        "session", "Shows the machine's audio session, or changes it.",
        discussion: """
            Settings that are not given stay. A category refuses options that it does not have: clear them in the same \
            command, as in tonearm session --category ambient --use none. tonearm session --json lists the options of a category.
            """)
    @OptionGroup var options: ClientOptions

    @Option(help: "What the machine is for.") var category: SessionCategory?

    @Option(
        value: "list", "Options, comma-separated, such as duck-others; they replace those in use. none clears them.")
    var use: String?

    @Option(help: "The kind of playback or recording.") var mode: SessionMode?

    @Flag(json: "session") var json = false

    struct Answer: Decodable {
        var category: SessionCategory
        var mode: String
        var options: [String]
        var active, otherAudioPlaying, silentSwitch: Bool
    }

    func validate() throws {
        if let use, use != "none" { try checkList(use, SessionOption.self, "an option", "or none") }
    }

    func ask(_ client: ServerClient) throws -> [UInt8] {
        if category == nil, use == nil, mode == nil { return try client.send(.get, "session") }
        let list = use.map { $0 == "none" ? [] : $0.split(separator: ",").map(String.init) }
        let body: RequestBody = ["category": category?.rawValue, "options": list, "mode": mode?.rawValue]
        return try client.send(.patch, "session", body)
    }

    func show(_ session: Answer) {
        var words = [session.category.rawValue]
        if session.mode != "default" { words.append(session.mode) }
        words += session.options
        words.append(session.active ? "active" : "inactive")
        if session.otherAudioPlaying { words.append("another program plays") }
        if session.silentSwitch { words.append("the silent switch is on") }
        Console.output(words.joined(separator: ", "))
    }
}

struct InterruptCommand: ClientCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable { case began, ended }

    static let configuration = CommandConfiguration(
        "interrupt", "Begins or ends an interruption of the music.",
        discussion: """
            For scripts: a doorbell, an alarm. Interruptions nest: each began needs its ended. An ended without a began \
            changes nothing.
            """)
    @OptionGroup var options: ClientOptions
    @Argument(help: ArgumentHelp("Whether it begins or ends.", valueName: "began|ended")) var type: Kind
    @Flag(help: "With ended: the music stays paused.") var stayPaused = false

    func validate() throws {
        if stayPaused, type == .began { throw ValidationError("--stay-paused needs ended.") }
    }

    func run(_ client: ServerClient) throws {
        let now: PlayerState = try client.ask(
            .post, "session/interruptions",
            ["type": type.rawValue, "shouldResume": type == .ended ? !stayPaused : nil])
        let isHeld = now.status == "interrupted" && now.reason == "interruption"
        switch type {
        case .began: Console.output("An interruption began.")
        // The answer does not show whether there was one.
        case .ended: Console.output("The end is reported." + (isHeld ? " Another interruption goes on." : ""))
        }
    }
}
