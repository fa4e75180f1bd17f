// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Playback
import Service

/// Encodes events as the text frames of asyncapi.yaml.
struct EventEncoder: Sendable {
    /// Items of the queue in a `snapshot`.
    static let firstWindow = 100

    let links: ItemLinks
    /// Of this player; a later player with the same id has another epoch.
    let epoch: String
    let server: String
    let followers: FollowerList

    var player: PlayerPath { links.path }

    // MARK: Recorded events

    typealias Data = @Sendable (inout JSONWriter) -> Void

    /// The event's kind and data; nil for `jumped` and `loaded`, which are sent as `time` and `buffer`.
    func recorded(_ event: PlayerEvent) -> (name: EventName, data: Data)? {
        switch event.kind {
        case .status(let status, let previous, let reason, let playWhenReady, let itemID, let position, let error):
            recorded(.status) { writer in
                writer.member("status", status.rawValue)
                writer.member("previous", previous.rawValue)
                writer.member("reason", reason?.rawValue)
                writer.member("playWhenReady", playWhenReady)
                writer.member("itemId", itemID?.description)
                writer.member("position", position)
                writer.member("error", error) { $0.members(of: $1) }
            }
        case .item(let item): recorded(.item) { $0.member("item", item) { $0.members(of: $1, links) } }
        case .completed(let id, let reason):
            recorded(.completed) {
                $0.member("itemId", id.description)
                $0.member("reason", reason.rawValue)
            }
        case .queueEnded: recorded(.queueEnded) { _ in }
        case .queueLow(let low):
            recorded(.queueLow) { writer in
                writer.member("reason", low.reason.rawValue)
                writer.member("itemId", low.itemID?.description)
                writer.member("remaining", low.remaining)
            }
        case .queue(let revision, let length, let change, let canUndo, let canRedo):
            recorded(.queue) { writer in
                writer.member("revision", revision)
                writer.member("length", length)
                writer.member("change") { $0.members(of: change) }
                writer.member("canUndo", canUndo)
                writer.member("canRedo", canRedo)
            }
        case .settings(let settings): recorded(.settings) { $0.settingsMembers(of: settings, followers: followers.ids) }
        case .effects(let effects): recorded(.effects) { $0.members(of: effects) }
        case .output(let output): recorded(.output) { $0.members(of: output) }
        case .route(let reason, let previous, let current):
            recorded(.route) { writer in
                writer.member("reason", reason.rawValue)
                writer.member("previous", previous) { $0.members(ofRoute: $1) }
                writer.member("current", current) { $0.members(ofRoute: $1) }
            }
        case .interruption(let isBeginning, let source, let shouldResume):
            recorded(.interruption) { writer in
                writer.member("type", isBeginning ? "began" : "ended")
                writer.member("reason", source.rawValue)
                writer.member("shouldResume", shouldResume)
            }
        case .error(let error): recorded(.error) { $0.members(of: error) }
        case .jumped, .loaded, .faded, .slept, .startEnded: nil
        }
    }

    private func recorded(_ name: EventName, _ data: @escaping Data) -> (name: EventName, data: Data) { (name, data) }

    /// `greeting`: the type of a frame that is not an event. `data`: an encoded object.
    func frame(
        _ name: EventName?, greeting: String = "", _ sequence: UInt64? = nil, at wallMilliseconds: Int64,
        version: UInt64, data: [UInt8]
    ) -> EventFrame {
        let type = name?.rawValue ?? greeting
        let bytes = JSONWriter.object(capacity: data.count + 160) { writer in
            writer.member("type", type)
            if let sequence { writer.member("seq", sequence) }
            writer.member("at", wallMilliseconds)
            writer.member("version", version)
            writer.member("player", player.id)
            writer.member("data", raw: data)
        }
        return EventFrame(name: name, type: type, sequence: sequence, version: version, bytes: SharedBytes(bytes))
    }

    // MARK: Latest values

    /// Seconds for which a reading of the clock is valid; the next one comes earlier, unless the process was stopped.
    static let validity = 1.25

    /// The time until which a reading of the clock determines the position.
    static func end(of clock: PositionClock, at now: MonotonicTime) -> MonotonicTime {
        min(now, clock.sampledAt.advanced(bySeconds: validity))
    }

    func time(_ clock: PositionClock, itemID: ItemID?, version: UInt64, at moment: Moment) -> EventFrame {
        let time = Self.end(of: clock, at: moment.monotonic)
        let data = JSONWriter.object(capacity: 192) { writer in
            writer.member("itemId", itemID?.description)
            writer.members(of: clock, duration: nil, at: time)
            writer.member("rate", clock.rate)
            writer.member("listenedTime", clock.listenedTime(at: time))
            writer.member("discontinuity", clock.discontinuity)
        }
        return frame(.time, at: moment.wallMilliseconds, version: version, data: data)
    }

    func buffer(_ loaded: LoadedMedia, version: UInt64, at moment: Moment) -> EventFrame {
        let data = JSONWriter.object { writer in
            writer.member("itemId", loaded.itemID?.description)
            writer.members(of: loaded)
            writer.member("bytesPerSecond", loaded.part.bytesPerSecond)
            writer.member("stalled", loaded.part.isStalled)
        }
        return frame(.buffer, at: moment.wallMilliseconds, version: version, data: data)
    }

    // MARK: Greeting

    static let helloType = "hello"

    private func greeting(
        _ type: String, _ sequence: UInt64?, at moment: Moment, _ version: UInt64, _ data: (inout JSONWriter) -> Void
    ) -> EventFrame {
        frame(
            nil, greeting: type, sequence, at: moment.wallMilliseconds, version: version, data: JSONWriter.object(data))
    }

    func hello(
        _ selection: EventSelection, interval: Double, sequence: UInt64, version: UInt64, at moment: Moment
    ) -> EventFrame {
        greeting(Self.helloType, sequence, at: moment, version) { writer in
            writer.member("epoch", epoch)
            writer.member("server", server)
            writer.member("interval", interval)
            writer.member("events", texts: selection.names)
        }
    }

    func snapshot(
        _ snapshot: PlayerSnapshot, _ window: QueueWindow, _ details: [PathKey: TrackDetails], sequence: UInt64,
        at moment: Moment
    ) -> EventFrame {
        greeting("snapshot", sequence, at: moment, snapshot.version) { writer in
            writer.member("player") { $0.members(of: snapshot, links, followers: followers.ids, at: moment) }
            writer.member("queue") { $0.members(of: window, details, links) }
        }
    }

    func resync(sequence: UInt64, version: UInt64, at moment: Moment) -> EventFrame {
        greeting("resync", nil, at: moment, version) { $0.member("latest", sequence) }
    }
}

/// An event, encoded once for all its receivers.
struct EventFrame: Sendable {
    /// nil for greetings and replies, which clients cannot deselect.
    var name: EventName?
    /// `type` of the frame.
    var type: String
    /// Number among the recorded events; nil for other frames.
    var sequence: UInt64?
    var version: UInt64
    var bytes: SharedBytes

    /// Server-Sent Events (HTML standard, section 9.2.5); the JSON contains no line break.
    func serverSentEvent(epoch: String, into text: inout [UInt8]) {
        if let sequence { text.append(contentsOf: "id: \(epoch):\(sequence)\n".utf8) }
        text.append(contentsOf: "event: \(type)\ndata: ".utf8)
        text.append(contentsOf: bytes.bytes)
        text.append(contentsOf: "\n\n".utf8)
    }
}
