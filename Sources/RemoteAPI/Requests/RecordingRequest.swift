// SPDX-License-Identifier: Apache-2.0

import Recording
import Session

/// `POST /recordings`: what is not said comes from the session's mode.
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

    /// `mode`: nil in a server without an audio session.
    func settings(in mode: SessionMode?) throws(Problem) -> RecordingSettings {
        var settings = RecordingSettings(for: mode ?? .default)
        settings.container = container ?? settings.container
        settings.isFloat = isFloat ?? false
        settings.bits = bits ?? (settings.isFloat ? 32 : settings.bits)
        settings.sampleRate = sampleRate ?? settings.sampleRate
        settings.channelCount = channelCount ?? settings.channelCount
        settings.source = source
        settings.name = name
        settings.isMetered = isMetered ?? settings.isMetered
        settings.playsAfterwards = playsAfterwards ?? settings.playsAfterwards
        if let problem = settings.problem {
            throw .invalid(problem.member, "\(problem.member) \(problem.reason).")
        }
        return settings
    }
}

extension RecordingSettings {
    /// What a mode of the session is for: the sound of a film, or a voice near the mouth.
    init(for mode: SessionMode) {
        self.init()
        switch mode {
        case .videoRecording: (sampleRate, channelCount) = (48_000, 2)
        case .voiceChat, .videoChat, .gameChat: preference = .headset
        case .default, .moviePlayback, .measurement: break
        }
    }
}

/// `PATCH /recordings/current`
struct RecordingPatch: JSONReadable {
    var metering: Bool

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["metering"])
        guard let metering = try object.flag("metering") else { throw object.invalid("metering", "is needed") }
        self.metering = metering
    }
}
