// SPDX-License-Identifier: Apache-2.0

import Announcing
import HTTP

/// `/announcements` and `/sfx`: what is heard beside the music.
struct AnnouncementRoutes: Sendable {
    private static let announcements = "/api/v1/announcements"
    private static let effects = "/api/v1/sfx"

    let services: Services

    var routes: [Route] {
        [
            .get(Self.announcements) { _, reply throws(Problem) in
                let status = try required().status
                reply(.json(JSONWriter.object { $0.announcements(of: status) }))
            },
            .post(Self.announcements) { call, reply throws(Problem) in
                let body = try call.body(AnnouncementBody.self)
                try required().announce(body.request, untilEnd: body.waits) { result in
                    Self.answer(result, reply) { outcome in
                        let announcement = outcome.announcement
                        guard body.waits, let end = outcome.end else {
                            return created(Self.announcements, announcement.id) { $0.members(of: announcement) }
                        }
                        return .json(JSONWriter.object { $0.members(of: announcement, end) })
                    }
                }
            },
            .delete(Self.announcements + "/{id}") { call, reply throws(Problem) in
                let id = try Self.id(call)
                try required().cancelAnnouncement(id) { Self.answer($0, reply) { HTTPResponse(status: 204) } }
            },
            .get(Self.effects) { _, reply throws(Problem) in
                let status = try required().status
                reply(.json(JSONWriter.object { $0.effects(of: status) }))
            },
            .post(Self.effects) { call, reply throws(Problem) in
                let sound = try call.body(EffectBody.self).sound
                try required().play(sound) { result in
                    Self.answer(result, reply) { effect in
                        created(Self.effects, effect.id) { $0.members(of: effect) }
                    }
                }
            },
            .delete(Self.effects + "/{id}") { call, reply throws(Problem) in
                let id = try Self.id(call)
                try required().cancelEffect(id) { Self.answer($0, reply) { HTTPResponse(status: 204) } }
            },
        ]
    }

    private func required() throws(Problem) -> Announcer {
        guard let announcer = services.announcer else {
            throw .notFound("This server announces nothing.", code: "no-announcer")
        }
        return announcer
    }

    private static func id(_ call: APICall) throws(Problem) -> SoundID {
        _ = try call.body(EmptyBody.self)
        guard let id = SoundID(call.parameters[0]) else { throw .unknownSound(call.parameters[0]) }
        return id
    }

    private func created(
        _ base: String, _ id: SoundID, _ members: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        .json(JSONWriter.object(members), status: 201, [("Location", services.path.of("\(base)/\(id)"))])
    }

    private static func answer<Value>(
        _ result: Result<Value, AnnouncerError>, _ reply: Reply, _ response: (Value) -> HTTPResponse
    ) {
        switch result {
        case .success(let value): reply(response(value))
        case .failure(let error): reply(Problem(error).response)
        }
    }
}

extension Problem {
    fileprivate static func unknownSound(_ id: String) -> Problem {
        .notFound("There is no \(id.prefix(40)); it may have ended.", code: "unknown-sound")
    }

    init(_ error: AnnouncerError) {
        switch error {
        case .unknown(let id): self = .unknownSound(id.description)
        case .unknownOutput(let id):
            self = .notFound("There is no output \(id.prefix(100)).", code: "unknown-output")
        case .busy(let detail):
            self.init(
                status: 429, code: "too-many-announcements", title: "Too many announcements", detail: detail,
                headers: [("Retry-After", "5")])
        case .playback(let error): self.init(error)
        case .playerRemoved: self = .notFound("The player was removed.", code: "unknown-player")
        case .shuttingDown:
            self.init(
                status: 503, code: "shutting-down", title: "Shutting down", detail: "The server is going down.",
                headers: [("Retry-After", "2")])
        }
    }
}
