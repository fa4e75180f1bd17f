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
                let object = try command.body.members("itemId", "index", "position", "at")
                let at = try object.integer("at", in: StrictObject.times).map { Int64($0) }
                let position = try object.number("position", in: mediaSeconds)
                verbs.play(try object.playTarget(), position: position, at: at, reply: state(reply))
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
                verbs.perform(.apply(try command.body.read(SettingsPatch.self)), reply: state(reply))
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

extension StrictObject {
    /// `itemId` or `index`; without them the current item.
    func playTarget() throws(Problem) -> PlayTarget {
        let index = try integer("index", in: 0...Queue.maximumLength)
        guard let itemID = try text("itemId") else { return index.map { .index($0) } ?? .current }
        guard index == nil else { throw invalid("index", "cannot be given together with itemId") }
        return .item(try ItemID(itemID).orThrow(.unknownItem(itemID)))
    }

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
