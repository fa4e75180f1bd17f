// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/player/record-stream`: saves what the player's current item sends. As with all that is recorded, only its state is for
/// everyone who may read; what fills the server's disk asks for the scope `admin`.
struct StreamRecordingRoutes: Sendable {
    private static let path = "/api/v1/player/record-stream"

    let services: Services

    var routes: [Route] {
        let verbs = services.verbs
        return [
            .get(Self.path) { _, reply in
                let status = verbs.streamStatus
                reply(.json { $0.members(of: status) })
            },
            route(.post) { call, reply throws(Problem) in
                let members = try call.body.members("name", "maxDuration", "maxBytes")
                // A week and a terabyte: what is more is a mistake, or none.
                let limits = StreamLimits(
                    seconds: try members.number("maxDuration", in: 1...604_800),
                    bytes: try members.integer("maxBytes", in: 1...1_000_000_000_000).map(Int64.init))
                let name = try members.text("name", maximum: 256)
                if let name, !RecordingName.isValid(name) { throw members.invalid("name", RecordingName.rule) }
                verbs.saveStream(
                    name: name, limits: limits,
                    reply: answering(reply) { status, isNew in
                        .json(status: isNew ? 201 : 200) { $0.members(of: status) }
                    })
            },
            route(.delete) { call, reply throws(Problem) in
                _ = try call.body.members()
                verbs.stopSavingStream(reply: object(reply) { $0.members(of: $1) })
            },
        ]
    }

    private func route(_ method: HTTPMethod, _ handler: @escaping Route.Handler) -> Route {
        Route(method: method, pattern: Self.path, scope: .admin) { call, reply throws(Problem) in
            try services.verbs.requireStreams()
            try handler(call, reply)
        }
    }
}
