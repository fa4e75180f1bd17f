// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kernel

struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration("status", "Shows the state of the player.")
    @OptionGroup var options: ClientOptions

    @Flag(help: "Print JSON: the answer of GET /api/v1/player; with --follow an event on each line.") var json = false
    @Flag(help: "Report changes until Ctrl-C.") var follow = false

    /// The events that change the output of `status`.
    private static let events = "status,item,settings,output,error,timers"

    func run(_ client: ServerClient) throws {
        guard follow else {
            return try client.show(client.send(.get, "player"), json: json) { (state: PlayerState) in
                try Console.output(state.text(timers: client.timers()))
            }
        }
        var previous: [String] = []
        try client.follow("events?events=\(Self.events)") { event in
            if json {
                Console.output(json: event)
                return true
            }
            let state: PlayerState = try client.ask(.get, "player")
            let notes = try state.notes(timers: client.timers()).map { "\($0.name) \($0.text)" }
            let parts = ["volume \(state.volumePercent)"] + notes
            // The position advances; it is not a change.
            let item = state.item.map { "\($0.id) \($0.name) \(state.duration ?? 0)" } ?? ""
            let current = [state.status, item] + parts
            if current != previous { Console.output(state.line + Table.printable(parts.map { "  " + $0 }.joined())) }
            previous = current
            return true
        }
    }
}

/// The members of `GET /player` that the commands need.
struct PlayerState: Decodable {
    struct Item: Decodable {
        var id, uri: String
        var title, artist, album: String?
        var live: Live?
    }

    /// A station, and the title that it plays.
    struct Live: Decodable { var station, title: String? }

    struct Output: Decodable {
        var available, suspended: Bool
        var message, description: String?
    }

    struct Problem: Decodable {
        var message: String
        var itemId: String?
    }

    struct QueueSummary: Decodable { var length: Int }

    /// In seconds.
    struct Part: Decodable { var begin, end: Double }

    var status, `repeat`: String
    var reason, leader: String?
    var abLoop: Part?
    var item: Item?
    var queueIndex: Int?
    var position, level, crossfade, playbackRate, pitch: Double
    var duration: Double?
    var muted, shuffle, consume, stopAfterCurrent: Bool
    var queue: QueueSummary
    var output: Output
    var error: Problem?
}

extension PlayerState.Item {
    /// `Artist - Title` as far as known; for a station `Title - Station`.
    var name: String {
        guard let live else { return ItemName.text(title: title, artist: artist, uri: uri) }
        return live.title.map { "\($0) - \(station)" } ?? station
    }

    /// The station's own name, else the one that the client gave it.
    var station: String { live?.station ?? title ?? uri }
}

enum ItemName {
    static func text(title: String?, artist: String?, uri: String) -> String {
        guard let title, !title.isEmpty else { return uri }
        guard let artist, !artist.isEmpty else { return title }
        return "\(artist) - \(title)"
    }
}

extension PlayerState {
    /// The output of `tonearm status`.
    func text(timers: [TimerState]) -> String {
        var table = Table(columns: [.left, .left])
        table.add("status", status + (reason.map { " (\($0))" } ?? ""))
        if let item {
            if let live = item.live {
                table.add("station", item.station)
                if let title = live.title { table.add("title", title) }
            } else {
                table.add("item", item.name)
            }
            if let album = item.album { table.add("album", album) }
            table.add("file", item.uri)
            table.add("position", "\(TimeText.text(position)) of \(TimeText.text(duration))")
        }
        table.add("queue", (queueIndex.map { "index \($0), " } ?? "") + "length \(queue.length)")
        table.add("volume", volumePercent)
        table.add("repeat", `repeat`)
        table.add("shuffle", shuffle ? "on" : "off")
        if crossfade != 0 { table.add("crossfade", "\(Self.text(crossfade)) s") }
        if playbackRate != 1 { table.add("speed", Self.text(playbackRate)) }
        if pitch != 0 { table.add("pitch", "\(Self.text(pitch)) cents") }
        for note in notes(timers: timers) { table.add(note.name, note.text) }
        table.add("output", outputText)
        // The chosen output is missing.
        if output.available, let message = output.message { table.add("", message) }
        // An item that plays leaves the failure of the one before.
        if let error { table.add(status == "failed" ? "error" : "last error", error.message) }
        return table.text
    }

    /// The leader, the A-B loop, the settings `consume` and `stopAfterCurrent`, the start of `play --at`, the sleep timer and the
    /// alarm that rings or is snoozed, if there are any.
    fileprivate func notes(timers: [TimerState]) -> [(name: String, text: String)] {
        [
            ("follows", leader), ("loop", abLoop.map { "\(TimeText.exact($0.begin)) to \(TimeText.exact($0.end))" }),
            ("consume", consume ? "on" : nil), ("stops", stopAfterCurrent ? "after this item" : nil),
            ("start", timers.first { $0.type == "start" }.map { "at \($0.nextTime)" }),
            ("sleep", timers.first { $0.type == "sleep" }?.sleepTime), ("alarm", timers.compactMap(\.ringing).first),
        ].compactMap { name, text in text.map { (name, $0) } }
    }

    fileprivate var volumePercent: String {
        "\(Int(clamping: (level * 100).rounded())) %" + (muted ? ", muted" : "")
    }

    private static func text(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// One line: the result of a command.
    var line: String {
        guard let item else { return Table.printable(status) }
        return Table.printable("\(status)  \(item.name)  \(TimeText.text(position)) of \(TimeText.text(duration))")
    }

    private var outputText: String {
        guard output.available else { return "unavailable: \(output.message ?? "no reason given")" }
        return (output.description ?? "default") + (output.suspended ? " (suspended)" : "")
    }
}
