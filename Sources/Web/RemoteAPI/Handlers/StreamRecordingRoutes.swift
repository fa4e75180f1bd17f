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
            .get(Self.path) { _, reply in reply(.json(Self.encode(verbs.streamStatus))) },
            route(.post) { call, reply throws(Problem) in
                let request = try call.body(StreamRecordingRequest.self)
                verbs.saveStream(
                    name: request.name, limits: request.limits,
                    reply: answering(reply) { status, isNew in
                        .json(Self.encode(status), status: isNew ? 201 : 200)
                    })
            },
            route(.delete) { call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
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

    private static func encode(_ status: StreamRecordingStatus) -> [UInt8] {
        JSONWriter.object { $0.members(of: status) }
    }
}

/// `POST /player/record-stream`
struct StreamRecordingRequest: JSONReadable {
    var name: String?
    var limits = StreamLimits()

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["name", "maxDuration", "maxBytes"])
        // A week and a terabyte: what is more is a mistake, or none.
        limits.seconds = try object.number("maxDuration", in: 1...604_800)
        limits.bytes = try object.integer("maxBytes", in: 1...1_000_000_000_000).map(Int64.init)
        name = try object.text("name", maximum: 256)
        if let name, !RecordingName.isValid(name) { throw object.invalid("name", RecordingName.rule) }
    }
}
