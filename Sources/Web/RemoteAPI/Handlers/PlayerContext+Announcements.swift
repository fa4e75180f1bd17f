// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/announcements` and `/sfx`: sounds on top of the music.
extension PlayerContext {
    private static let announcements = "/api/v1/announcements"
    private static let effects = "/api/v1/sfx"

    var announcementRoutes: [Route] {
        [
            .show(Self.announcements, { _ throws(Problem) in try verbs.announcerStatus() }) {
                $0.announcements(of: $1)
            },
            .command("announce", .post, Self.announcements) { command, reply throws(Problem) in
                let body = try command.body.read(AnnouncementBody.self)
                let answer = answering(reply) { (outcome: AnnouncementOutcome) in
                    let announcement = outcome.announcement
                    guard body.waits, let end = outcome.end else {
                        return created(Self.announcements, announcement.id) { $0.members(of: announcement) }
                    }
                    return .json { $0.members(of: announcement, end) }
                }
                verbs.announce(
                    body.sound, for: command.caller, untilEnd: body.waits, reply: answer, request: body.request)
            },
            .delete(Self.announcements + "/{id}") { call, reply throws(Problem) in
                verbs.cancel(try Self.id(call), .announcement, reply: done(reply))
            },
            .show(Self.effects, { _ throws(Problem) in try verbs.announcerStatus() }) { $0.effects(of: $1) },
            .write(.post, Self.effects) { call, reply throws(Problem) in
                verbs.play(
                    try call.body.members(StrictObject.soundMembers).sound(), for: call.caller,
                    reply: answering(reply) { effect in
                        created(Self.effects, effect.id) { $0.members(of: effect) }
                    })
            },
            .delete(Self.effects + "/{id}") { call, reply throws(Problem) in
                verbs.cancel(try Self.id(call), .effect, reply: done(reply))
            },
        ]
    }

    private static func id(_ call: APICall) throws(Problem) -> SoundID {
        try SoundID(call.parameters[0]).orThrow(.unknownSound(call.parameters[0]))
    }

    private func created(_ base: String, _ id: SoundID, _ members: (inout JSONWriter) -> Void) -> HTTPResponse {
        .json(status: 201, [("Location", path.of("\(base)/\(id)"))], members)
    }
}
