// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct StopCommand: ClientCommand {
    static let configuration = CommandConfiguration("stop", "Stops.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Play what is buffered before.")
    var drain = false

    func run(_ client: ServerClient) throws { try client.silence("stop", ["drain": drain]) }
}

struct SeekCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "seek", "Goes to a position.",
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

struct PauseCommand: ClientCommand {
    static let configuration = CommandConfiguration("pause", "Pauses at once.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.silence("pause") }
}

struct ToggleCommand: ClientCommand {
    static let configuration = CommandConfiguration("toggle", "Pauses what plays, plays what is paused.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("toggle") }
}

struct NextCommand: ClientCommand {
    static let configuration = CommandConfiguration("next", "Goes to the next item.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("next") }
}

struct PreviousCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "previous", "Goes to the previous item, or to the beginning of this one.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.command("previous") }
}

struct MuteCommand: ClientCommand {
    static let configuration = CommandConfiguration("mute", "Plays on without sound.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { _ = try client.change(["muted": true]) }
}

struct UnmuteCommand: ClientCommand {
    static let configuration = CommandConfiguration("unmute", "Ends mute.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { _ = try client.change(["muted": false]) }
}

struct ClearCommand: ClientCommand {
    static let configuration = CommandConfiguration("clear", "Empties the queue.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.delete, QueuePage.path) }
}

struct UndoCommand: ClientCommand {
    static let configuration = CommandConfiguration("undo", "Takes the last edit of the queue back.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.post, QueuePage.path + "/undo") }
}

struct RedoCommand: ClientCommand {
    static let configuration = CommandConfiguration("redo", "Makes the edit again that undo took back.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.send(.post, QueuePage.path + "/redo") }
}

struct PlayCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "play", "Plays: goes on, or a place of the queue, or something new.",
        discussion: """
            With URIs they are added at the end of the queue and the first of them plays. A URI is relative to the server's \
            music directories (see tonearm browse), or an absolute path in one of them, or one that begins with ./ or ../, or an \
            address of the web; a folder, a playlist or a feed stands for everything in it.
            """)

    @OptionGroup var options: ClientOptions

    @Argument(help: "What to add and play.", completion: .file())
    var uris: [String] = []

    @Option(help: "Play the item at this place of the queue; the first one is 0.")
    var index: Int?

    @Option(help: "Play the item with this id.")
    var item: String?

    @Option(help: "Begin there: seconds, m:ss or h:mm:ss.")
    var position: TimeArgument?

    func validate() throws {
        guard [index != nil, item != nil, !uris.isEmpty].filter({ $0 }).count <= 1 else {
            throw ValidationError("Give URIs, --index or --item; only one of them.")
        }
        if let index, index < 0 { throw ValidationError("--index must be 0 or more.") }
        if !uris.isEmpty, position != nil { throw ValidationError("--position cannot go with URIs.") }
        if uris.contains("") { throw ValidationError("A URI must not be empty.") }
    }

    func run(_ client: ServerClient) throws {
        if uris.isEmpty {
            let id = try item ?? index.map { try client.itemIDs([String($0)])[0] }
            try client.play(["itemId": id, "position": position?.seconds], named: id)
        } else {
            try client.play(MediaArgument.all(uris))
        }
    }
}

/// Where to seek to, or a volume: the member of a request that it stands for.
struct Target: Hashable {
    var member: String
    var value: Double

    init(_ member: String, _ value: Double) {
        self.member = member
        self.value = value
    }

    /// `12.5`, `1:23`, `+10`, `-1:00`, `50%`, as seconds or a part of the whole; nil when it is none of these.
    static func position(_ text: String) -> Target? {
        if text.hasSuffix("%") { return percent(text.dropLast()).map { Target("progress", $0 / 100) } }
        let (digits, sign) = unsigned(text[...])
        return TimeText.seconds(digits).map { Target(sign == nil ? "position" : "offset", sign == "-" ? -$0 : $0) }
    }

    /// `80`, `80%`, `+5`, `-5`; nil when it is none of these or lies outside 0...100. The server adds a step to its level, so
    /// that steps of several clients add up.
    static func volume(_ text: String) -> Target? {
        let (digits, sign) = unsigned(text.hasSuffix("%") ? text.dropLast() : text[...])
        return percent(digits).map { Target(sign == nil ? "level" : "levelBy", (sign == "-" ? -$0 : $0) / 100) }
    }

    private static func unsigned(_ text: Substring) -> (digits: Substring, sign: Character?) {
        guard let sign = text.first, sign == "+" || sign == "-" else { return (text, nil) }
        return (text.dropFirst(), sign)
    }

    private static func percent(_ digits: Substring) -> Double? {
        digits.contains(":") ? nil : TimeText.seconds(digits).flatMap { $0 <= 100 ? $0 : nil }
    }
}
