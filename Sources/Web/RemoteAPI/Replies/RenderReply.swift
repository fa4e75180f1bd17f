// SPDX-License-Identifier: Apache-2.0

import Service

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
        member("error", job.fault) { writer, fault in
            writer.member("code", fault.code)
            writer.member("message", fault.message)
        }
    }
}
