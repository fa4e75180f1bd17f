// SPDX-License-Identifier: Apache-2.0

import Recording

/// `POST /recordings`
struct RecordingRequest: Decodable {
    var settings = RecordingSettings()

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(
            decoder,
            ["format", "bits", "float", "sampleRate", "channels", "source", "name", "metering", "autoPlay"])
        settings.container = try object.choice("format", RecordingSettings.Container.self) ?? settings.container
        settings.isFloat = try object.flag("float") ?? false
        settings.bits = try object.integer("bits", in: 8...32) ?? (settings.isFloat ? 32 : settings.bits)
        settings.sampleRate =
            try object.integer("sampleRate", in: 8_000...192_000) ?? settings.sampleRate
        settings.channelCount = try object.integer("channels", in: 1...8) ?? settings.channelCount
        settings.source = try object.text("source", maximumBytes: 256)
        settings.name = try object.text("name", maximumBytes: 256)
        settings.isMetered = try object.flag("metering") ?? settings.isMetered
        settings.playsAfterwards = try object.flag("autoPlay") ?? settings.playsAfterwards
        if let problem = settings.problem { throw object.invalid(problem.member, problem.reason) }
    }
}

/// `PATCH /recordings/current`
struct RecordingPatch: Decodable {
    var metering: Bool

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["metering"])
        guard let metering = try object.flag("metering") else { throw object.invalid("metering", "is needed") }
        self.metering = metering
    }
}
