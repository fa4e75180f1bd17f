// SPDX-License-Identifier: Apache-2.0

import Service

extension JSONBody {
    /// Of `POST /recordings`. The session's mode gives what is missing.
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
