// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

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

    /// As the client gave it, without secrets.
    private mutating func members(of item: TimerItem) {
        switch item {
        case .several(let name, let id):
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
