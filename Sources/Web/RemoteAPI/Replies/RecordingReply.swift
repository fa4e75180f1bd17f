// SPDX-License-Identifier: Apache-2.0

import Service

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

    /// `uri`: as an item of the queue.
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
