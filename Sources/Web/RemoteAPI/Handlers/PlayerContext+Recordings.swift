// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/recordings`: the recorder and its files. All routes except the status need the scope `admin`: a token that may
/// control playback must neither listen to the room nor fill the disk.
extension PlayerContext {
    private static let base = "/api/v1/recordings"

    var recordingRoutes: [Route] {
        [
            route(.post, "") { call, reply throws(Problem) in
                server.record(
                    try call.body.recordingSettings(over: server.recordingDefaults),
                    reply: answering(reply) { status, isNew in
                        let headers = isNew ? [("Location", Self.base + "/current")] : []
                        return .json(status: isNew ? 201 : 200, headers) { $0.members(of: status) }
                    })
            },
            // Reports no more than the events do, and is the only way to learn that there is no recorder.
            .show(Self.base + "/current", { _ in server.recordingStatus }) { $0.members(of: $1) },
            route(.patch, "/current") { call, reply throws(Problem) in
                let members = try call.body.members("metering")
                server.meterRecording(
                    try members.needed(members.flag("metering"), "metering"),
                    reply: object(reply) { $0.members(of: $1) })
            },
            route(.post, "/current/pause") { call, reply throws(Problem) in
                _ = try call.body.members()
                server.pauseRecording(reply: object(reply) { $0.members(of: $1) })
            },
            route(.post, "/current/stop") { call, reply throws(Problem) in
                _ = try call.body.members()
                server.stopRecording(reply: object(reply) { $0.members(of: $1) })
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
            route(.get, "/{id}/file") { call, reply in
                let sent = answering(reply) { (response: HTTPResponse) in response }
                server.openRecording(call.parameters[0], for: call.caller, reply: sent) { entry, file in
                    HTTPResponse(downloadOf: entry, file, answering: call.request)
                }
            },
        ]
    }

    private static let stream = "/api/v1/player/record-stream"

    /// Saving of the current item's stream, with the same scope.
    var streamRoutes: [Route] {
        [
            .show(Self.stream, { _ in verbs.streamStatus }) { $0.members(of: $1) },
            Self.route(.post, Self.stream, verbs.requireStreams) { call, reply throws(Problem) in
                let members = try call.body.members("name", "maxDuration", "maxBytes")
                // A week and a terabyte; larger limits are mistakes, or no limits.
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
            Self.route(.delete, Self.stream, verbs.requireStreams) { call, reply throws(Problem) in
                _ = try call.body.members()
                verbs.stopSavingStream(reply: object(reply) { $0.members(of: $1) })
            },
        ]
    }

    private func route(_ method: HTTPMethod, _ path: String, _ handler: @escaping Route.Handler) -> Route {
        Self.route(method, Self.base + path, server.requireRecorder, handler)
    }

    /// `require` throws on a server without recordings, which refuses a request before its body is read.
    private static func route(
        _ method: HTTPMethod, _ pattern: String, _ require: @escaping @Sendable () throws(Problem) -> Void,
        _ handler: @escaping Route.Handler
    ) -> Route {
        .write(method, pattern, scope: .admin) { call, reply throws(Problem) in
            try require()
            try handler(call, reply)
        }
    }
}

extension JSONBody {
    /// From `POST /recordings`. The session's mode provides absent members.
    func recordingSettings(over defaults: RecordingSettings) throws(Problem) -> RecordingSettings {
        let object = try members(
            "format", "bits", "float", "sampleRate", "channels", "source", "name", "metering", "autoPlay")
        var settings = defaults
        settings.container =
            try object.choice("format", RecordingSettings.Container.self) ?? settings.container
        settings.isFloat = try object.flag("float") ?? false
        settings.bits = try object.integer("bits", in: 8...32) ?? (settings.isFloat ? 32 : settings.bits)
        settings.sampleRate = try object.integer("sampleRate", in: 8_000...192_000) ?? settings.sampleRate
        settings.channelCount = try object.integer("channels", in: 1...8) ?? settings.channelCount
        settings.source = try object.text("source", maximum: 256)
        settings.name = try object.text("name", maximum: 256)
        settings.isMetered = try object.flag("metering") ?? settings.isMetered
        settings.playsAfterwards = try object.flag("autoPlay") ?? settings.playsAfterwards
        return settings
    }
}

extension JSONWriter {
    /// `RecordingStatus` in openapi.yaml; also the data of a `recording` event.
    mutating func members(of status: RecordingStatus) {
        member("state", status.state.rawValue)
        member("id", status.current?.id)
        member("duration", status.current?.duration)
        member("source", status.current?.source)
        member("lostFrames", status.current?.lostFrames)
        member("settings", status.current) { $0.members(of: $1.settings) }
        member("last", status.last) { writer, last in
            writer.member("id", last.id)
            writer.member("successfully", last.successfully)
            writer.member("reason", last.reason.rawValue)
            writer.member("duration", last.duration)
            writer.member("message", last.message)
        }
    }

    /// `StreamRecordingStatus` in openapi.yaml.
    mutating func members(of status: StreamRecordingStatus) {
        member("state", status.state.rawValue)
        member("id", status.current?.id)
        member("itemId", status.current?.item)
        member("bytes", status.current?.bytes)
        member("size", status.current?.size)
        member("gaps", status.current?.gaps)
        member("maxDuration", status.current?.limits.seconds)
        member("maxBytes", status.current?.limits.bytes)
        member("last", status.last) { writer, last in
            writer.member("id", last.id)
            writer.member("itemId", last.item)
            writer.member("successfully", last.successfully)
            writer.member("reason", last.reason.rawValue)
            writer.member("bytes", last.bytes)
            writer.member("gaps", last.gaps)
            writer.member("message", last.message)
        }
    }

    private mutating func members(of settings: RecordingSettings) {
        let isPlain = settings.container == .wav || settings.container == .flac
        member("format", settings.container.rawValue)
        member("bits", isPlain ? settings.bits : nil)
        member("float", settings.isFloat)
        member("sampleRate", settings.sampleRate)
        member("channels", settings.channelCount)
        member("metering", settings.isMetered)
        member("autoPlay", settings.playsAfterwards)
    }

    /// `uri`: its address for the queue.
    mutating func members(of entry: RecordingEntry, uri: String) {
        member("id", entry.id)
        member("file", "/api/v1/recordings/\(entry.id)/file")
        member("uri", uri)
        member("size", entry.size)
        member("modified", entry.modified)
        member("recovered", entry.isRecovered)
        member("format", RecordedFormat(id: entry.id)?.rawValue)
        member("duration", entry.sound?.duration)
        member("sampleRate", entry.sound?.sampleRate)
        member("channels", entry.sound?.channelCount)
        member("bits", entry.sound?.bits)
        member("float", entry.sound?.isFloat ?? false)
    }
}

extension HTTPResponse {
    /// The download of a finished recording: whole, or the requested range. Takes ownership of the descriptor.
    init(downloadOf entry: RecordingEntry, _ file: (descriptor: Int32, size: UInt64), answering request: HTTPRequest) {
        let open = OpenFile(file.descriptor)
        // A finished recording never changes: size and time identify its version.
        let tag = EntityTag(String(file.size, radix: 36) + "-" + String(entry.modified, radix: 36))
        let cacheControl = "private, no-cache"
        if let response = request.notModified(tag, cacheControl) {
            self = response
            return
        }
        let type = RecordedFormat(id: entry.id)?.mediaType ?? "application/octet-stream"
        let headers = HTTPHeaders(
            tag.fields(cacheControl) + [
                ("Content-Type", type), ("X-Content-Type-Options", "nosniff"),
                ("Content-Disposition", "attachment; filename=\"\(entry.id)\""),
            ])
        self.init(file: open, total: file.size, tag: tag, headers: headers, answering: request)
        if status == 416 { self = Problem.rangeNotSatisfiable(size: file.size).response }
    }
}
