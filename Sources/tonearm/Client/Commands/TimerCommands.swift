// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Service

struct SleepCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        "sleep", "Fades the music out and pauses it after a time.",
        discussion: """
            A time is 30m, 90s, 1h30m or h:mm:ss. item and queue mean the end of the current item and of the queue; off \
            cancels the timer. Without an argument, the timer is shown.
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "A time, item, queue or off.") var end: String?
    @Option(value: "seconds", "Length of the fade-out, 0 to 3600 (default 10 for a time, else 0).") var fade: Double?

    func validate() throws {
        if let end, !["item", "queue", "off"].contains(end) {
            if !end.isEmpty, end.allSatisfy({ $0.isASCII && $0.isNumber }) {
                throw ValidationError("\(end) has no unit; give \(end)m for minutes or \(end)s for seconds.")
            }
            guard let seconds = TimeText.duration(end) else {
                throw ValidationError("\(end) is not a time; give 30m, 90s, 1h30m, h:mm:ss, item, queue or off.")
            }
            guard seconds > 0 else { throw ValidationError("\(end) is not a time to wait: use tonearm pause.") }
        }
        if fade != nil, end == nil || end == "off" { throw ValidationError("--fade needs a time, item or queue.") }
        try check("--fade", fade, 0...3_600)
    }

    func run(_ client: ServerClient) throws {
        let set = try client.timers().filter { $0.type == "sleep" }
        switch end {
        case nil: Console.output(set.isEmpty ? "No sleep timer is set." : set.map(\.sleepText).joined(separator: "\n"))
        case "off":
            for timer in set { try client.send(.delete, TimerState.path(timer.id)) }
            Console.output(set.isEmpty ? "No sleep timer is set." : "The sleep timer is off.")
        case "item": try add("until", "end-of-item", client)
        case "queue": try add("until", "end-of-queue", client)
        case let text?: try add("after", TimeText.duration(text), client)
        }
    }

    private func add(_ member: String, _ value: (any Encodable)?, _ client: ServerClient) throws {
        let body: RequestBody = ["type": "sleep", member: value, "fade": fade]
        let timer: TimerState = try client.ask(.post, "timers", body)
        Console.output(timer.sleepText)
    }
}

struct AlarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "alarm", "Lists, sets and ends alarms; lists and cancels a start of play --at.",
        subcommands: [ListAlarms.self, AddAlarm.self, ChangeAlarm.self, SnoozeAlarm.self, RemoveAlarm.self],
        defaultSubcommand: ListAlarms.self)
}

struct ListAlarms: ClientCommand {
    static let configuration = CommandConfiguration("list", "Shows the alarms, and the start of play --at.")
    @OptionGroup var options: ClientOptions

    @Flag(json: "timers") var json = false

    func run(_ client: ServerClient) throws {
        try client.show(client.send(.get, "timers"), json: json) { (answer: TimerList) in
            try show(answer.timers.filter { $0.type != "sleep" }, client)
        }
    }

    private func show(_ timers: [TimerState], _ client: ServerClient) throws {
        var table = Table(columns: [.left, .left, .left, .left, .left, .left, .left, .left])
        for alarm in timers {
            let days = alarm.days ?? []
            let state = alarm.enabled == false && alarm.state == "waiting" ? "off" : alarm.state ?? ""
            let item = try alarm.itemId.map { try name(of: $0, client) }
            table.add(
                alarm.id, alarm.time ?? alarm.nextTime, days.isEmpty ? "once" : days.joined(separator: ","),
                alarm.timeZone ?? "", alarm.type == "start" ? "start" : state,
                alarm.next == nil ? "" : "in \(TimeText.remaining(alarm.seconds))", alarm.manner,
                item ?? alarm.itemsText)
        }
        Console.output(table, orWithoutRows: "There are no alarms.")
    }

    private func name(of item: String, _ client: ServerClient) throws -> String {
        do {
            let item: QueuePage.Item = try client.ask(.get, ServerClient.path("queue/items", item))
            return item.name
        } catch let refusal as Failure where refusal.status == .general {
            return "item \(item)"
        }
    }
}

struct AddAlarm: ClientCommand {
    static let configuration = CommandConfiguration(
        "add", "Sets an alarm.",
        discussion: "A URI has the same meaning as for tonearm play; without any, the queue plays as it is.")
    @OptionGroup var options: ClientOptions

    @Argument(help: "A time of day, such as 07:00.") var time: String
    @Argument(help: "What to play.", completion: .file()) var uris: [String] = []
    @OptionGroup var manner: AlarmOptions

    func validate() throws { try Self.check(time) }

    static func check(_ time: String) throws {
        let parts = padded(time).split(separator: ":", omittingEmptySubsequences: false)
        let limits = [24, 60, 60]
        let isTime = zip(parts, limits).allSatisfy { $0.count == 2 && $0.allSatisfy(\.isNumber) && Int($0) ?? $1 < $1 }
        guard (2...3).contains(parts.count), isTime else {
            throw ValidationError("\(time) is not a time of day; give one such as 07:00.")
        }
    }

    func run(_ client: ServerClient) throws {
        let body: RequestBody = ["type": "alarm", "time": Self.padded(time), "items": uris.map { MediaArgument($0) }]
        let alarm: TimerState = try client.ask(.post, "timers", body + manner.body)
        Console.output("\(alarm.id) in \(TimeText.remaining(alarm.seconds))")
    }

    /// Turns `7:05` into `07:05`.
    static func padded(_ time: String) -> String {
        time.firstIndex(of: ":") == time.dropFirst().startIndex ? "0" + time : time
    }
}

/// The options of an alarm that `add` and `set` share.
struct AlarmOptions: ParsableArguments {
    @Option(help: "Days, comma-separated: mon,tue,wed,thu,fri,sat,sun; or once (default).") var days: String?
    @Option(help: "Volume that it rises to, 0 to 100 (default 40).") var volume: Int?
    @Option(value: "seconds", "Length of the rise from silence to the volume (default 30).") var ramp: Double?
    @Option(value: "seconds", "Length of a snooze (default 540).") var snooze: Double?
    @Option(value: "uri", "URI that plays if the others cannot be played.", completion: .file()) var fallback: String?
    @Option(
        value: "id", "Id of the output, as tonearm outputs lists it (default: the player's).",
        completion: ServerNames.outputs.completion)
    var output: String?
    @Option(help: "Time zone, such as Europe/Berlin (default: the server's).") var zone: String?

    func validate() throws {
        try check("--volume", volume.map(Double.init), 0...100)
        if let days, days != "once" { try checkList(days, Weekday.self, "a day", "or once") }
    }

    var body: RequestBody {
        [
            "days": days.map { $0 == "once" ? [] : $0.split(separator: ",").map(String.init) }, "timeZone": zone,
            "level": volume.map { Double($0) / 100 }, "ramp": ramp, "snooze": snooze,
            "fallback": fallback.map { MediaArgument($0).uri }, "output": output,
        ]
    }
}

struct ChangeAlarm: ClientCommand {
    static let configuration = CommandConfiguration(
        "set", "Changes an alarm, or switches it on or off.",
        discussion: """
            Properties that are not given keep their values. The defaults are those of a new alarm.

            tonearm alarm set t1 off
            tonearm alarm set t1 on --time 7:30 --days mon,tue --play "A Folder/"
            """)
    @OptionGroup var options: ClientOptions

    @Argument(help: "Its id, the first column of tonearm alarm.", completion: ServerNames.alarms.completion)
    var id: String

    @Argument(help: ArgumentHelp("Whether it rings.", valueName: "on|off")) var position: Switch?
    @Option(help: "A time of day, such as 07:00.") var time: String?
    @Option(value: "uri", "URI that it plays, as for tonearm play; may be given several times.", completion: .file())
    var play: [String] = []
    @OptionGroup var manner: AlarmOptions

    var body: RequestBody {
        [
            "enabled": position.map { $0 == .on }, "time": time.map(AddAlarm.padded),
            "items": play.isEmpty ? nil : play.map { MediaArgument($0) },
        ] + manner.body
    }

    func validate() throws {
        if let time { try AddAlarm.check(time) }
        if body.isEmpty { throw ValidationError("Nothing to change: give on, off or an option.") }
    }

    func run(_ client: ServerClient) throws {
        let alarm: TimerState = try client.ask(.patch, TimerState.path(id), body)
        Console.output(alarm.next == nil ? "\(alarm.id) is off" : "\(alarm.id) in \(TimeText.remaining(alarm.seconds))")
    }
}

struct SnoozeAlarm: ClientCommand {
    static let configuration = CommandConfiguration("snooze", "Silences the ringing alarm for a while.")
    @OptionGroup var options: ClientOptions

    func run(_ client: ServerClient) throws {
        guard let alarm = try client.timers().first(where: { $0.state == "ringing" }) else {
            throw Failure("No alarm is ringing.")
        }
        let snoozed: TimerState = try client.ask(.post, TimerState.path(alarm.id) + "/snooze")
        Console.output("\(snoozed.id) in \(TimeText.remaining(snoozed.seconds))")
    }
}

struct RemoveAlarm: ClientCommand {
    static let configuration = CommandConfiguration("remove", "Removes an alarm or a start.")
    @OptionGroup var options: ClientOptions

    @Argument(help: "Its id.", completion: ServerNames.alarms.completion) var id: String

    func run(_ client: ServerClient) throws {
        try client.send(.delete, TimerState.path(id))
        Console.output("\(id) is removed")
    }
}
