// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
internal import Kernel

struct StopCommand: ClientCommand {
    static let configuration = CommandConfiguration("stop", "Stops.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Play the buffered sound first.") var drain = false

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
        help: "A time: \(TimeArgument.forms); with + or - relative to the position; or a percentage of the item.")
    var target: [String]

    private var to: Target? { SignedArgument.only(target).flatMap(Target.position) }

    func validate() throws {
        guard to != nil else {
            throw ValidationError(
                "\(target.joined(separator: " ")) is not a position such as 12.5, 1:23, +10, -10 or 50%.")
        }
    }

    func run(_ client: ServerClient) throws { try client.seek(to.map { [$0.member: $0.value] }) }
}

struct PauseCommand: ClientCommand {
    static let configuration = CommandConfiguration("pause", "Pauses at once.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.silence("pause") }
}

struct ToggleCommand: ClientCommand {
    static let configuration = CommandConfiguration("toggle", "Pauses if playing, plays if paused.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.start("toggle") }
}

struct NextCommand: ClientCommand {
    static let configuration = CommandConfiguration("next", "Goes to the next item.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.start("next") }
}

struct PreviousCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "previous", "Goes to the previous item, or to the beginning of the current one.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.start("previous") }
}

struct MuteCommand: ClientCommand {
    static let configuration = CommandConfiguration("mute", "Mutes the player; the music plays on.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.changeVolume(["muted": true]) }
}

struct UnmuteCommand: ClientCommand {
    static let configuration = CommandConfiguration("unmute", "Unmutes the player.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.changeVolume(["muted": false]) }
}

struct ClearCommand: ClientCommand {
    static let configuration = CommandConfiguration("clear", "Empties the queue.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.editQueue(.delete, "queue", done: "cleared") }
}

struct UndoCommand: ClientCommand {
    static let configuration = CommandConfiguration("undo", "Undoes the last edit of the queue.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.stepEdits("undo", "undone") }
}

struct RedoCommand: ClientCommand {
    static let configuration = CommandConfiguration("redo", "Redoes the last undone edit.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws { try client.stepEdits("redo", "redone") }
}

extension ServerClient {
    /// `POST /queue/undo` or `redo`. The answer has only the queue's new length.
    fileprivate func stepEdits(_ name: String, _ done: String) throws {
        let before: QueueLength = try ask(.get, "queue?limit=0")
        let after: QueueLength = try ask(.post, "queue/\(name)")
        let old = before.length == after.length ? "" : " (\(before.length) before)"
        Console.output("\(done), \(after.length) in the queue\(old)")
    }
}

struct PlayCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "play", "Resumes, or plays an item of the queue or something new.",
        discussion: """
            URIs are added at the end of the queue, and the first of them plays. A URI is a path relative to the \
            server's music folders (see tonearm browse), an absolute path in one of them, a path that begins with ./ or ../, \
            or a web address; a folder, a playlist or a feed stands for everything in it.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "What to add and play.", completion: .file()) var uris: [String] = []
    @Option(help: "Play the item at this index of the queue; the first one is 0.") var index: Int?
    @Option(help: "Play the item with this id.") var item: String?
    @Option(help: "Start position: \(TimeArgument.forms).") var position: TimeArgument?

    @Option(value: "time", "Start then: 19:30 or 19:30:15 by this machine's clock, or after a time such as 90s or 5m.")
    var at: Moment?

    func validate() throws {
        guard [index != nil, item != nil, !uris.isEmpty].filter({ $0 }).count <= 1 else {
            throw ValidationError("Give URIs, --index or --item; only one of them.")
        }
        if let index, index < 0 { throw ValidationError("--index must be 0 or more.") }
        if !uris.isEmpty, position != nil { throw ValidationError("--position cannot go with URIs.") }
        if !uris.isEmpty, at != nil { throw ValidationError("--at cannot go with URIs; add them first.") }
        if uris.contains("") { throw ValidationError("A URI must not be empty.") }
    }

    func run(_ client: ServerClient) throws {
        if uris.isEmpty {
            let id = try item ?? index.map { try client.itemIDs([String($0)])[0] }
            let body: RequestBody = ["itemId": id, "position": position?.seconds, "at": at?.milliseconds]
            guard let at else { return try client.play(body, named: id) }
            let earlier = try client.timers().first { $0.type == "start" }
            try client.send(.post, "player/play", body)
            let start = try client.timers().first { $0.type == "start" }
            let hint = start.map { " To cancel: tonearm alarm remove \($0.id)" } ?? ""
            let replaced = earlier.map { " It replaces the start at \($0.nextTime)." } ?? ""
            Console.output("It plays in \(TimeText.remaining(at.seconds)).\(replaced)\(hint)")
        } else {
            do {
                try client.play(uris.map { MediaArgument($0) })
            } catch var failure as Failure {
                if failure.status == .general, uris.count == 1, let index = UInt(uris[0]) {
                    failure.message += " To play the item at index \(index) of the queue: tonearm play --index \(index)"
                }
                throw failure
            }
        }
    }
}

/// A moment in the future: the next `7:05` or `19:30:15` by this machine's clock, or a duration from now, such as `90s`.
struct Moment: ExpressibleByArgument, Hashable {
    /// Since the epoch.
    let milliseconds: Int64

    var seconds: Double { max(0, Double(milliseconds) / 1_000 - Date.now.timeIntervalSince1970) }

    init?(argument: String) { self.init(argument, now: Date.now.timeIntervalSince1970) }

    init?(_ text: String, now: Double) {
        guard text.contains(":") else {
            guard let seconds = TimeText.duration(text), seconds > 0 else { return nil }
            milliseconds = Int64(clamping: (now + seconds) * 1_000)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) ?? -1 }
        guard (2...3).contains(parts.count), (0..<24).contains(parts[0]),
            parts.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        var present = time_t(now)
        var day = tm()
        localtime_r(&present, &day)
        // mktime applies that day's offset from UTC.
        func time(daysAhead: Int32) -> time_t {
            var moment = day
            (moment.tm_hour, moment.tm_min, moment.tm_sec) = (parts[0], parts[1], parts.count > 2 ? parts[2] : 0)
            moment.tm_mday += daysAhead
            moment.tm_isdst = -1
            return mktime(&moment)
        }
        let today = time(daysAhead: 0)
        milliseconds = Int64(clamping: Double(today) > now ? today : time(daysAhead: 1)) * 1_000
    }
}

/// A position or volume argument, as a member of a request.
struct Target: Hashable {
    let member: String
    let value: Double

    init(_ member: String, _ value: Double) {
        self.member = member
        self.value = value
    }

    /// Parses `12.5`, `1:23`, `90s`, `+10`, `-1:00` into seconds and `50%` into a fraction; nil for any other text.
    static func position(_ text: String) -> Target? {
        if text.hasSuffix("%") { return percent(text.dropLast()).map { Target("progress", $0 / 100) } }
        let (digits, sign) = unsigned(text[...])
        guard let seconds = TimeArgument(argument: String(digits))?.seconds else { return nil }
        return Target(sign == nil ? "position" : "offset", sign == "-" ? -seconds : seconds)
    }

    /// Parses `80`, `80%`, `+5`, `-5`; nil for any other text and outside 0...100. The server applies a step to its own level,
    /// so that steps from several clients add up.
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
