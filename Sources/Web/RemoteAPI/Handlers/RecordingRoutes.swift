// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/recordings`: the recorder and its files. All but its status asks for the scope `admin`: a token that may
/// press play must not be able to listen to the room.
struct RecordingRoutes: Sendable {
    private static let base = "/api/v1/recordings"

    let server: ServerService

    var routes: [Route] {
        [
            route(.post, "") { call, reply throws(Problem) in
                server.record(
                    try call.body.recordingSettings(over: server.recordingDefaults),
                    reply: answering(reply) { status, isNew in
                        let headers = isNew ? [("Location", Self.base + "/current")] : []
                        return .json(status: isNew ? 201 : 200, headers) { $0.members(of: status) }
                    })
            },
            // No more than the events report to everybody, and the one way to learn that there is no recorder.
            .get(Self.base + "/current") { _, reply in
                let status = server.recordingStatus
                reply(.json { $0.members(of: status) })
            },
            route(.patch, "/current") { call, reply throws(Problem) in
                let members = try call.body.members("metering")
                server.meterRecording(
                    try members.needed(members.flag("metering"), "metering"), reply: Self.status(reply))
            },
            route(.post, "/current/pause") { call, reply throws(Problem) in
                _ = try call.body.members()
                server.pauseRecording(reply: Self.status(reply))
            },
            route(.post, "/current/stop") { call, reply throws(Problem) in
                _ = try call.body.members()
                server.stopRecording(reply: Self.status(reply))
            },
            route(.get, "") { call, reply throws(Problem) in
                server.recordings(
                    for: call.caller,
                    reply: object(reply, capacity: 4_096) { writer, entries in
                        writer.member("status") { $0.members(of: server.recordingStatus) }
                        writer.member("recordings", objects: entries) {
                            $0.members(of: $1, uri: server.recordingAddress($1.id))
                        }
                    })
            },
            route(.get, "/sources") { call, reply throws(Problem) in
                server.recordingSources(
                    for: call.caller,
                    reply: object(reply) { writer, sources in
                        writer.member("sources", objects: sources) { writer, source in
                            writer.member("id", source.id)
                            writer.member("description", source.description)
                            writer.member("monitor", source.isMonitor)
                            writer.member("default", source.isDefault)
                        }
                    })
            },
            route(.get, "/{id}") { call, reply throws(Problem) in
                let id = call.parameters[0]
                server.recording(
                    id, for: call.caller,
                    reply: object(reply) { $0.members(of: $1, uri: server.recordingAddress(id)) })
            },
            route(.delete, "/{id}") { call, reply throws(Problem) in
                _ = try call.body.members()
                server.deleteRecording(call.parameters[0], for: call.caller, reply: done(reply))
            },
            route(.get, "/{id}/file") { call, reply throws(Problem) in
                let sent = answering(reply) { (download: RecordingDownload) throws(Problem) in
                    try download.response(to: call.request)
                }
                server.openRecording(call.parameters[0], for: call.caller, reply: sent) { RecordingDownload($0, $1) }
            },
        ]
    }

    private func route(_ method: HTTPMethod, _ path: String, _ handler: @escaping Route.Handler) -> Route {
        Route(method: method, pattern: Self.base + path, scope: .admin) { call, reply throws(Problem) in
            try server.requireRecorder()
            try handler(call, reply)
        }
    }

    private static func status(_ reply: @escaping Reply) -> ServiceReply<RecordingStatus> {
        object(reply) { $0.members(of: $1) }
    }
}
