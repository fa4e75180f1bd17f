// SPDX-License-Identifier: Apache-2.0

import Service

/// `POST /recordings`: the session's mode gives what is missing.
struct RecordingRequest: JSONReadable {
    private var container: RecordingSettings.Container?
    private var isFloat: Bool?
    private var bits: Int?
    private var sampleRate: Int?
    private var channelCount: Int?
    private var source: String?
    private var name: String?
    private var isMetered: Bool?
    private var playsAfterwards: Bool?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json,
            ["format", "bits", "float", "sampleRate", "channels", "source", "name", "metering", "autoPlay"])
        container = try object.choice("format", RecordingSettings.Container.self)
        isFloat = try object.flag("float")
        bits = try object.integer("bits", in: 8...32)
        sampleRate = try object.integer("sampleRate", in: 8_000...192_000)
        channelCount = try object.integer("channels", in: 1...8)
        source = try object.text("source", maximum: 256)
        name = try object.text("name", maximum: 256)
        isMetered = try object.flag("metering")
        playsAfterwards = try object.flag("autoPlay")
    }

    func settings(over defaults: RecordingSettings) -> RecordingSettings {
        var settings = defaults
        settings.container = container ?? settings.container
        settings.isFloat = isFloat ?? false
        settings.bits = bits ?? (settings.isFloat ? 32 : settings.bits)
        settings.sampleRate = sampleRate ?? settings.sampleRate
        settings.channelCount = channelCount ?? settings.channelCount
        settings.source = source
        settings.name = name
        settings.isMetered = isMetered ?? settings.isMetered
        settings.playsAfterwards = playsAfterwards ?? settings.playsAfterwards
        return settings
    }
}

/// `PATCH /recordings/current`
struct RecordingPatch: JSONReadable {
    var metering: Bool

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["metering"])
        metering = try object.needed(object.flag("metering"), "metering")
    }
}
