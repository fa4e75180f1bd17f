// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/timers`, and `/player/prime`.
extension PlayerContext {
    private static let base = "/api/v1/timers"

    var timerRoutes: [Route] {
        [
            .show(Self.base, { _ throws(Problem) in try verbs.timers() }) { $0.members(of: $1) },
            .write(.post, Self.base) { call, reply throws(Problem) in
                verbs.set(
                    try call.body.read(PlayerTimer.Kind.self), for: call.caller, reply: answering(reply) { created($0) }
                )
            },
            .show(Self.base + "/{id}", { call throws(Problem) in try verbs.timer(call.parameters[0]) }) {
                $0.members(of: $1)
            },
            .write(.patch, Self.base + "/{id}") { call, reply throws(Problem) in
                let body = try call.body.read(TimerPatchBody.self)
                let timer = try verbs.timer(call.parameters[0])
                verbs.change(
                    timer.id, try body.checked(for: timer), for: call.caller,
                    reply: answering(reply) { Self.shown($0) })
            },
            .delete(Self.base + "/{id}") { call, reply throws(Problem) in
                verbs.remove(try verbs.timer(call.parameters[0]).id, reply: done(reply))
            },
            .write(.post, Self.base + "/{id}/snooze") { call, reply throws(Problem) in
                // nil: the alarm's snooze.
                let seconds = try call.body.members("seconds").number("seconds", in: StrictObject.snoozes)
                let timer = try verbs.timer(call.parameters[0])
                verbs.snooze(timer.id, seconds: seconds, reply: answering(reply) { Self.shown($0) })
            },
            .write(.post, "/api/v1/player/prime") { call, reply throws(Problem) in
                let seconds = try call.body.members("seconds").number("seconds", in: 0...10) ?? 1
                verbs.prime(seconds, reply: object(reply) { $0.member("prepared", $1) })
            },
        ]
    }

    private func created(_ timer: PlayerTimer?) -> HTTPResponse {
        guard let timer else { return Self.shown(nil) }
        let path = self.path.of("\(Self.base)/\(timer.id)")
        return .json(status: 201, [("Location", path)]) { $0.members(of: timer) }
    }

    /// `timer` is nil if the timer fired at once.
    private static func shown(_ timer: PlayerTimer?) -> HTTPResponse {
        guard let timer else { return HTTPResponse(status: 204) }
        return .json { $0.members(of: timer) }
    }
}

/// `POST /timers`
extension PlayerTimer.Kind: JSONReadable {
    private enum Name: String, CaseIterable { case sleep, alarm }

    init(_ json: JSONNode) throws(Problem) {
        let whole = try StrictObject(json)
        switch try whole.needed(whole.choice("type", Name.self), "type", "is needed: sleep or alarm") {
        case .sleep:
            let object = try StrictObject(json, ["type", "after", "until", "fade"])
            let patch = try TimerPatch(object)
            let end = try object.needed(patch.end, "after", "is needed, or until")
            self = .sleep(SleepTimer(end: end, fade: patch.fade ?? Self.usualFade(end)))
        case .alarm:
            let object = try StrictObject(json, ["type"] + TimerPatchBody.alarmMembers)
            let seconds = try object.needed(object.timeOfDay(), "time", "is needed, such as 07:00")
            var alarm = Alarm(Recurrence(seconds: seconds, days: []))
            alarm.apply(try TimerPatch(object))
            self = .alarm(alarm)
        }
    }

    /// Default fade in seconds; none with `until`.
    private static func usualFade(_ end: SleepTimer.End) -> Double {
        if case .after(let seconds) = end { min(10, seconds) } else { 0 }
    }
}

/// `PATCH /timers/{id}`: any of the members that the timer has.
struct TimerPatchBody: JSONReadable {
    static let sleepMembers = ["after", "until", "fade"]
    static let alarmMembers = [
        "time", "days", "timeZone", "items", "level", "ramp", "fallback", "snooze", "output", "enabled",
    ]
    static let startMembers = ["at"]

    private let patch: TimerPatch
    private let object: StrictObject

    init(_ json: JSONNode) throws(Problem) {
        object = try StrictObject(json, Self.sleepMembers + Self.alarmMembers + Self.startMembers)
        patch = try TimerPatch(object)
    }

    /// Refuses members of other types of timers.
    func checked(for timer: PlayerTimer) throws(Problem) -> TimerPatch {
        let known =
            switch timer.kind {
            case .sleep: Self.sleepMembers
            case .alarm: Self.alarmMembers
            case .start: Self.startMembers
            }
        try object.rejectAll(
            except: known, "does not belong to this timer; known are: \(known.joined(separator: ", "))")
        return patch
    }
}

extension TimerPatch {
    fileprivate init(_ object: StrictObject) throws(Problem) {
        self.init()
        end = try object.sleepEnd()
        fade = try object.number("fade", in: StrictObject.fades)
        seconds = try object.timeOfDay()
        days = try object.choices("days", Weekday.self)
        if object.contains("timeZone") { timeZone = .some(try object.text("timeZone", maximum: 64)) }
        items = try object.alarmItems()
        level = try object.number("level", in: 0...1)
        ramp = try object.number("ramp", in: StrictObject.fades)
        if object.contains("fallback") { fallback = .some(try object.fallback()) }
        snooze = try object.number("snooze", in: StrictObject.snoozes)
        if object.contains("output") { output = .some(try object.text("output", maximum: 1_024)) }
        isEnabled = try object.flag("enabled")
        at = try object.integer("at", in: StrictObject.times).map { Int64($0) }
    }
}

extension StrictObject {
    fileprivate static let fades = 0.0...3_600
    static let snoozes = 1.0...86_400
    private static let sleeps = 0.1...604_800
    /// Milliseconds since the epoch that a JSON number represents exactly.
    static let times = 0...(1 << 53)
    private static let mostItems = 100

    fileprivate func sleepEnd() throws(Problem) -> SleepTimer.End? {
        let after = try number("after", in: Self.sleeps)
        guard let until = try text("until") else { return after.map { .after($0) } }
        if after != nil { throw invalid("until", "cannot go with after") }
        switch until {
        case "end-of-item": return .endOfItem
        case "end-of-queue": return .endOfQueue
        default: throw invalid("until", "must be one of: end-of-item, end-of-queue")
        }
    }

    /// `hh:mm` or `hh:mm:ss`, as seconds.
    fileprivate func timeOfDay() throws(Problem) -> Int? {
        guard let text = try text("time") else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.map { part in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) ?? -1 : -1
        }
        guard (2...3).contains(numbers.count), (0...23).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
        else { throw invalid("time", "must be a time of day, such as 07:00 or 07:00:30") }
        return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }

    fileprivate func fallback() throws(Problem) -> String? {
        guard let uri = try text("fallback", maximum: ItemRequest.maximumURILength) else { return nil }
        if uri.isEmpty { throw invalid("fallback", "must not be empty") }
        return uri
    }

    fileprivate func alarmItems() throws(Problem) -> [TimerItem]? {
        guard let items = try nested([ItemRequest].self, "items") else { return nil }
        guard items.count <= Self.mostItems else { throw invalid("items", "must list at most \(Self.mostItems)") }
        return items.map { TimerItem($0) }
    }
}

extension JSONWriter {
    /// `Timers` in openapi.yaml.
    mutating func members(of timers: [PlayerTimer]) {
        member("timers", objects: timers) { $0.members(of: $1) }
    }

    /// `Timer` in openapi.yaml.
    mutating func members(of timer: PlayerTimer) {
        member("id", timer.id.description)
        switch timer.kind {
        case .sleep(let sleep):
            member("type", "sleep")
            switch sleep.end {
            case .after(let seconds): member("after", seconds)
            case .endOfItem: member("until", "end-of-item")
            case .endOfQueue: member("until", "end-of-queue")
            }
            member("fade", sleep.fade)
        case .start(let start):
            member("type", "start")
            member("at", start.at)
            member("itemId", start.item?.description)
            member("position", start.position)
        case .alarm(let alarm): members(of: alarm)
        }
        member("next", timer.next)
    }

    private mutating func members(of alarm: Alarm) {
        member("type", "alarm")
        member("time", Self.text(ofTime: alarm.recurrence.seconds))
        member("days", texts: Weekday.allCases.filter(alarm.recurrence.days.contains).map(\.rawValue))
        member("timeZone", alarm.timeZone)
        member("items", objects: alarm.items) { $0.members(of: $1) }
        member("level", alarm.level)
        member("ramp", alarm.ramp)
        member("fallback", alarm.fallback.map(PublicURI.text))
        member("snooze", alarm.snooze)
        member("output", alarm.output)
        member("enabled", alarm.isEnabled)
        member("state", alarm.state.rawValue)
        member("last", alarm.last) { writer, last in
            writer.member("at", last.at)
            writer.member("result", last.result?.rawValue)
        }
    }

    /// As set by the client, without secrets.
    private mutating func members(of item: TimerItem) {
        switch item {
        case .several(let name, let id, _):
            key(name)
            value(PublicURI.text(id))
        case .media(let draft):
            member("uri", PublicURI.text(draft.uri))
            if let title = draft.title { member("title", title) }
            if let artist = draft.artist { member("artist", artist) }
            if let album = draft.album { member("album", album) }
            if let artwork = draft.artworkURI { member("artworkUri", PublicURI.text(artwork)) }
            if draft.beginTime != 0 { member("beginTime", draft.beginTime) }
            if draft.loops != 0 { member("loops", draft.loops) }
            members(of: draft.reach)
        }
    }

    private static func text(ofTime seconds: Int) -> String {
        let parts = [seconds / 3_600, seconds / 60 % 60] + (seconds % 60 == 0 ? [] : [seconds % 60])
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
