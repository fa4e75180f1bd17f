// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/player`: the state, transport and settings. Every write replies with the new state.
extension PlayerContext {
    var playerRoutes: [Route] {
        let base = "/api/v1/player"
        return [
            .get(base) { _, reply in reply(snapshots.response(in: self)) },
            .command("play", .post, base + "/play") { command, reply throws(Problem) in
                let request = try command.body.read(PlayRequest.self)
                verbs.play(
                    request.target, position: request.position, at: request.at, reply: state(reply))
            },
            command("pause", .post, base + "/pause") { _ in .pause },
            command("toggle", .post, base + "/toggle") { _ in .toggle },
            command("stop", .post, base + "/stop", "drain") { object throws(Problem) in
                .stop(drain: try object.flag("drain") ?? false)
            },
            command("next", .post, base + "/next") { _ in .next },
            command("previous", .post, base + "/previous") { _ in .previous },
            command("seek", .post, base + "/seek", "position", "offset", "progress") { object throws(Problem) in
                .seek(try object.seekTarget())
            },
            command("scan", .post, base + "/scan", "rate") { object throws(Problem) in
                let rate = try object.needed(
                    object.number("rate", in: -32...32), "rate", "is needed: -32...32, how many times the normal speed")
                guard rate != 0, rate != 1 else { throw object.invalid("rate", "cannot be 0 or 1") }
                return .scan(rate: rate)
            },
            command("scan-end", .delete, base + "/scan") { _ in .endScan },
            .command("settings", .patch, base) { command, reply throws(Problem) in
                let patch = try command.body.read(SettingsRequest.self).patch
                verbs.perform(.apply(patch), reply: state(reply))
            },
        ]
    }

    /// `known`: the members of the body.
    private func command(
        _ name: String, _ method: HTTPMethod, _ path: String, _ known: String...,
        make: @escaping @Sendable (StrictObject) throws(Problem) -> PlayerCommand
    ) -> Route {
        .command(name, method, path) { command, reply throws(Problem) in
            verbs.perform(try make(try command.body.members(known)), reply: state(reply))
        }
    }
}

/// The longest media: 10,000 hours, in seconds.
let mediaSeconds = 0.0...36_000_000.0

/// `POST /player/play`
struct PlayRequest: JSONReadable {
    var target: PlayTarget
    var position: Double?
    /// Milliseconds since the epoch; nil for now.
    var at: Int64?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["itemId", "index", "position", "at"])
        at = try object.integer("at", in: StrictObject.times).map { Int64($0) }
        position = try object.number("position", in: mediaSeconds)
        let index = try object.integer("index", in: 0...Queue.maximumLength)
        if let text = try object.text("itemId") {
            guard index == nil else { throw object.invalid("index", "cannot be given together with itemId") }
            guard let id = ItemID(text) else { throw .unknownItem(text) }
            target = .item(id)
        } else {
            target = index.map { .index($0) } ?? .current
        }
    }
}

extension StrictObject {
    /// Exactly one of the three members.
    func seekTarget() throws(Problem) -> SeekTarget {
        let position = try number("position", in: mediaSeconds)
        let offset = try number("offset", in: -mediaSeconds.upperBound...mediaSeconds.upperBound)
        let progress = try number("progress", in: 0...1)
        switch (position, offset, progress) {
        case (let position?, nil, nil): return .position(position)
        case (nil, let offset?, nil): return .offset(offset)
        case (nil, nil, let progress?): return .progress(progress)
        default: throw invalid("position", "or offset or progress must be given, and only one of them")
        }
    }
}
