// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Service

/// The members of a timer that the commands need.
struct TimerState: Decodable {
    /// An item of an alarm: one file or stream, or a source of several.
    struct Item: Decodable {
        var title, uri, folder, list: String?
        var playlist, album, artist, genre, track: String?

        var name: String {
            let ids = [
                ("playlist", playlist), ("album", album), ("artist", artist), ("genre", genre), ("track", track),
            ]
            return title ?? uri ?? folder ?? list ?? ids.compactMap { kind, id in id.map { "\(kind) \($0)" } }.first
                ?? ""
        }
    }

    var id, type: String
    var until, time, timeZone, state: String?
    var days: [String]?
    var items: [Item]?
    /// The item of a start; nil: the current one.
    var itemId: String?
    var level, ramp, snooze: Double?
    var fallback, output: String?
    var enabled: Bool?
    /// Milliseconds since the epoch.
    var next: Double?

    /// nil: after a time.
    private var sleepPlace: String? {
        ["end-of-item": "at the end of the item", "end-of-queue": "at the end of the queue"][until ?? ""]
    }

    var sleepText: String { "The music pauses \(sleepPlace ?? "in \(TimeText.remaining(seconds))")." }

    /// The end of the music, as `tonearm status` shows it.
    var sleepTime: String { sleepPlace ?? "at \(nextTime)" }

    /// An alarm that rings or is snoozed, as `tonearm status` shows it; nil: any other timer.
    var ringing: String? {
        switch state {
        case "ringing": "ringing"
        case "snoozed": "snoozed until \(nextTime)"
        default: nil
        }
    }

    /// The settings of an alarm that are not the default.
    var manner: String {
        let standard = Alarm(Recurrence(seconds: 0, days: []))
        func changed(_ value: Double?, from standard: Double) -> Double? { value == standard ? nil : value }
        return [
            changed(level, from: standard.level).map { "volume \(Int(clamping: ($0 * 100).rounded()))" },
            changed(ramp, from: standard.ramp).map { "ramp \(TimeText.exact($0))" },
            changed(snooze, from: standard.snooze).map { "snooze \(TimeText.exact($0))" },
            fallback.map { "fallback \($0)" }, output.map { "output \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// The first item, and the number of the others.
    var itemsText: String {
        guard let first = items?.first else { return "the queue" }
        let others = (items?.count ?? 1) - 1
        return first.name + (others > 0 ? " and \(others) more" : "")
    }

    /// Seconds until `next`.
    var seconds: Double? { next.map { max(0, $0 / 1_000 - Date.now.timeIntervalSince1970) } }

    /// `next` by this machine's clock.
    var nextTime: String {
        guard let next else { return "" }
        var moment = Int(clamping: next / 1_000)
        var day = tm()
        localtime_r(&moment, &day)
        return [day.tm_hour, day.tm_min, day.tm_sec].map { TimeText.padded(Int($0)) }.joined(separator: ":")
    }

    static func path(_ id: String) throws -> String { try ServerClient.path("timers", id) }
}

struct TimerList: Decodable { var timers: [TimerState] }

extension ServerClient {
    func timers() throws -> [TimerState] {
        let list: TimerList = try ask(.get, "timers")
        return list.timers
    }
}
