// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/timers`, and `/player/prime`.
struct TimerRoutes: Sendable {
    private static let base = "/api/v1/timers"

    let services: Services

    var routes: [Route] {
        let verbs = services.verbs
        return [
            .get(Self.base) { _, reply throws(Problem) in
                let timers = try verbs.timers()
                reply(.json { $0.members(of: timers) })
            },
            .post(Self.base) { call, reply throws(Problem) in
                verbs.set(
                    try call.body.read(PlayerTimer.Kind.self), for: call.caller, reply: answering(reply) { created($0) }
                )
            },
            .get(Self.base + "/{id}") { call, reply throws(Problem) in
                let timer = try verbs.timer(call.parameters[0])
                reply(.json { $0.members(of: timer) })
            },
            .patch(Self.base + "/{id}") { call, reply throws(Problem) in
                let body = try call.body.read(TimerPatchBody.self)
                let timer = try verbs.timer(call.parameters[0])
                verbs.change(
                    timer.id, try body.checked(for: timer), for: call.caller,
                    reply: answering(reply) { Self.shown($0) })
            },
            .delete(Self.base + "/{id}") { call, reply throws(Problem) in
                verbs.remove(try verbs.timer(call.parameters[0]).id, reply: done(reply))
            },
            .post(Self.base + "/{id}/snooze") { call, reply throws(Problem) in
                // nil: the alarm's own.
                let seconds = try call.body.members("seconds").number("seconds", in: StrictObject.snoozes)
                let timer = try verbs.timer(call.parameters[0])
                verbs.snooze(timer.id, seconds: seconds, reply: answering(reply) { Self.shown($0) })
            },
            .post("/api/v1/player/prime") { call, reply throws(Problem) in
                let seconds = try call.body.members("seconds").number("seconds", in: 0...10) ?? 1
                verbs.prime(seconds, reply: object(reply) { $0.member("prepared", $1) })
            },
        ]
    }

    private func created(_ timer: PlayerTimer?) -> HTTPResponse {
        guard let timer else { return Self.shown(nil) }
        let path = services.path.of("\(Self.base)/\(timer.id)")
        return .json(JSONWriter.object { $0.members(of: timer) }, status: 201, [("Location", path)])
    }

    /// nil: it was due at once, and is over.
    private static func shown(_ timer: PlayerTimer?) -> HTTPResponse {
        guard let timer else { return HTTPResponse(status: 204) }
        return .json { $0.members(of: timer) }
    }
}
