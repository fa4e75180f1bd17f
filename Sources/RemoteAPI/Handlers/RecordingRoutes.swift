// SPDX-License-Identifier: Apache-2.0

import HTTP
import Recording

/// `/recordings`: the recorder and what it has made. All but its status asks for the scope `admin`: a token that may
/// press play must not be able to listen to the room.
struct RecordingRoutes: Sendable {
    private static let base = "/api/v1/recordings"

    let services: Services
    let recorder: Recorder?

    var routes: [Route] {
        recorderRoutes + fileRoutes
    }

    private var recorderRoutes: [Route] {
        [
            route(.post, "") { [session = services.session] recorder, call, reply throws(Problem) in
                let settings = try call.body(RecordingRequest.self).settings(in: session?.status.configuration.mode)
                recorder.start(settings) { result in
                    switch result {
                    case .success((let status, let isNew)):
                        let headers = isNew ? [("Location", Self.base + "/current")] : []
                        reply(.json(Self.encode(status), status: isNew ? 201 : 200, headers))
                    case .failure(let error): reply(Problem(error).response)
                    }
                }
            },
            // Not more than the events tell everybody, and the one way to learn that there is no recorder.
            .get(Self.base + "/current") { [recorder] _, reply in
                reply(.json(Self.encode(recorder?.status ?? .disabled)))
            },
            route(.patch, "/current") { recorder, call, reply throws(Problem) in
                recorder.setMetering(try call.body(RecordingPatch.self).metering, reply: Self.answer(reply))
            },
            route(.post, "/current/pause") { recorder, call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                recorder.pause(reply: Self.answer(reply))
            },
            route(.post, "/current/stop") { recorder, call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                recorder.stop(reply: Self.answer(reply))
            },
        ]
    }

    private var fileRoutes: [Route] {
        [
            route(.get, "") { recorder, call, reply throws(Problem) in
                try onDisk(call.request.client, reply) { () throws(RecordingError) in
                    try recorder.store.list()
                } use: { entries in
                    let bytes = JSONWriter.object(capacity: 512 + 256 * entries.count) { writer in
                        writer.member("status") { $0.members(of: recorder.status) }
                        writer.member("recordings", array: entries) { writer, entry in
                            writer.object { $0.members(of: entry, uri: recorder.store.address(entry.id)) }
                        }
                    }
                    reply(.json(bytes))
                }
            },
            route(.get, "/sources") { recorder, call, reply throws(Problem) in
                try onDisk(call.request.client, reply) { () throws(RecordingError) in
                    try recorder.sources()
                } use: { sources in
                    let bytes = JSONWriter.object { writer in
                        writer.member("sources", array: sources) { writer, source in
                            writer.object {
                                $0.member("id", source.id)
                                $0.member("description", source.description)
                                $0.member("monitor", source.isMonitor)
                                $0.member("default", source.isDefault)
                            }
                        }
                    }
                    reply(.json(bytes))
                }
            },
            route(.get, "/{id}") { recorder, call, reply throws(Problem) in
                let id = call.parameters[0]
                try onDisk(call.request.client, reply) { () throws(RecordingError) in
                    try recorder.store.entry(id)
                } use: { entry in
                    reply(.json(JSONWriter.object { $0.members(of: entry, uri: recorder.store.address(id)) }))
                }
            },
            route(.delete, "/{id}") { recorder, call, reply throws(Problem) in
                _ = try call.body(EmptyBody.self)
                let id = call.parameters[0]
                if recorder.status.current?.id == id || services.streams?.isMaking(id) == true {
                    throw Problem(.inUse(id))
                }
                try onDisk(call.request.client, reply) { () throws(RecordingError) in
                    try recorder.store.delete(id)
                } use: { _ in
                    reply(HTTPResponse(status: 204))
                }
            },
            route(.get, "/{id}/file") { recorder, call, reply throws(Problem) in
                let id = call.parameters[0]
                try onDisk(call.request.client, reply) { () throws(RecordingError) in
                    RecordingDownload(try recorder.store.entry(id), try recorder.store.open(id))
                } use: { download throws(Problem) in
                    reply(try download.response(to: call.request))
                }
            },
        ]
    }

    private typealias Handler = @Sendable (Recorder, APICall, @escaping Reply) throws(Problem) -> Void

    private func route(_ method: HTTPMethod, _ path: String, _ handler: @escaping Handler) -> Route {
        Route(method: method, pattern: Self.base + path, scope: .admin) { [recorder] call, reply throws(Problem) in
            guard let recorder else { throw .recordingDisabled }
            try handler(recorder, call, reply)
        }
    }

    private func onDisk<Value: Sendable>(
        _ client: APIClient, _ reply: @escaping Reply,
        _ job: @escaping @Sendable () throws(RecordingError) -> Value,
        use: @escaping @Sendable (Value) throws(Problem) -> Void
    ) throws(Problem) {
        try services.openMedia(for: client, reply: reply) { _ throws(Problem) in
            do throws(RecordingError) { return try job() } catch { throw Problem(error) }
        } use: { value throws(Problem) in
            try use(value)
        }
    }

    private static func answer(_ reply: @escaping Reply) -> Recorder.Reply {
        { result in
            switch result {
            case .success(let status): reply(.json(encode(status)))
            case .failure(let error): reply(Problem(error).response)
            }
        }
    }

    private static func encode(_ status: RecordingStatus) -> [UInt8] {
        JSONWriter.object { $0.members(of: status) }
    }
}
