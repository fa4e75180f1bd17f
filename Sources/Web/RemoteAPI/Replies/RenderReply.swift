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
        member("skippedCount", job.skippedCount)
        member("skipped", objects: job.skipped) { writer, skipped in
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
