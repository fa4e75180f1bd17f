// SPDX-License-Identifier: Apache-2.0

import HTTP
import Service

/// `/renders`: files with the player's sound.
extension PlayerContext {
    private static let base = "/api/v1/renders"

    var renderRoutes: [Route] {
        [
            .show(Self.base, { _ throws(Problem) in try verbs.renders() }) { $0.members(of: $1, path) },
            .write(.post, Self.base, largestBody: Route.listBody) { call, reply throws(Problem) in
                let order = try call.body.read(RenderOrder.self)
                verbs.render(
                    order, for: call.caller,
                    reply: answering(reply) { job in
                        let place = path.of("\(Self.base)/\(job.id)")
                        return .json(status: 202, [("Location", place)]) { $0.members(of: job, path) }
                    })
            },
            .show(Self.base + "/{id}", { call throws(Problem) in try verbs.renderJob(call.parameters[0]) }) {
                $0.members(of: $1, path)
            },
            .delete(Self.base + "/{id}") { call, reply in
                verbs.removeRender(call.parameters[0], for: call.caller, reply: done(reply))
            },
            // Its sound needs the same scope as the command to play it.
            .get(Self.base + "/{id}/file", scope: .control) { call, reply in
                let sent = answering(reply) { (response: HTTPResponse) in response }
                verbs.openRender(call.parameters[0], for: call.caller, reply: sent) { entry, file in
                    HTTPResponse(downloadOf: entry, file, answering: call.request)
                }
            },
        ]
    }
}

/// `POST /renders`
extension RenderOrder: JSONReadable {
    private static let sources = ["items", "queue", "mix"]
    private static let mostItems = 1_000
    private static let mostInputs = 16

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, Self.sources + ["format", "effects", "start", "duration"])
        let given = Self.sources.filter(object.contains)
        guard let name = given.first else { throw object.invalid("items", "is needed, or queue, or mix") }
        if given.count > 1 { throw object.invalid(given[1], "cannot go with \(name)") }
        self.init(try Self.source(object))
        container = try object.choice("format", of: RecordingSettings.Container.rendered) ?? .wav
        hasEffects = try object.flag("effects") ?? true
        start = try object.number("start", in: mediaSeconds) ?? 0
        duration = try object.number("duration", in: 0.001...mediaSeconds.upperBound)
    }

    private static func source(_ object: StrictObject) throws(Problem) -> Source {
        if let items = try object.list(ItemRequest.self, "items", atMost: mostItems) { return .items(items) }
        if let inputs = try object.list(MixInput.self, "mix", atMost: mostInputs) { return .mix(inputs) }
        guard try object.flag("queue") == true else { throw object.invalid("queue", "must be true") }
        return .queue
    }
}

extension RenderOrder.MixInput: JSONReadable {
    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["uri", "gain"])
        self.init(uri: try object.uri(), gain: try object.number("gain", in: -60...24) ?? 0)
    }
}

extension JSONWriter {
    /// `Renders` in openapi.yaml; also the data of a `renders` event.
    mutating func members(of renders: [RenderJob], _ path: PlayerPath) {
        member("renders", objects: renders) { $0.members(of: $1, path) }
    }

    /// `Render` in openapi.yaml.
    mutating func members(of job: RenderJob, _ path: PlayerPath) {
        member("id", job.id)
        member("status", job.status.rawValue)
        member("progress", job.progress)
        member("format", job.container.rawValue)
        member("effects", job.hasEffects)
        member("created", job.created)
        member("file", job.file.map { _ in path.of("/api/v1/renders/\(job.id)/file") })
        member("size", job.file?.size)
        member("duration", job.file?.duration)
        members(of: job.skipped) { writer, skipped in
            writer.member("index", skipped.index)
            writer.members(of: skipped.fault)
        }
        member("error", job.fault) { $0.members(of: $1) }
    }

    private mutating func members(of fault: RenderJob.Fault) {
        member("code", fault.code)
        member("message", fault.message)
    }
}
