// SPDX-License-Identifier: Apache-2.0

import Playback

/// Seconds that a media can have: up to 10,000 hours.
let mediaSeconds = 0.0...36_000_000.0

/// `POST /player/play`
struct PlayRequest: JSONReadable {
    var target: PlayTarget
    var position: Double?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["itemId", "index", "position"])
        position = try object.number("position", in: mediaSeconds)
        let index = try object.integer("index", in: 0...Queue.maximumLength)
        if let text = try object.text("itemId") {
            guard index == nil else { throw object.invalid("index", "cannot be given together with itemId") }
            guard let id = ItemID(text) else { throw Problem(PlaybackError.unknown(item: text)) }
            target = .item(id)
        } else {
            target = index.map { .index($0) } ?? .current
        }
    }
}

/// `POST /player/stop`
struct StopRequest: JSONReadable {
    var drain: Bool

    init(_ json: JSONNode) throws(Problem) {
        drain = try StrictObject(json, ["drain"]).flag("drain") ?? false
    }
}

/// `POST /player/seek`: exactly one of the three.
struct SeekRequest: JSONReadable {
    var target: SeekTarget

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["position", "offset", "progress"])
        let position = try object.number("position", in: mediaSeconds)
        let offset = try object.number("offset", in: -mediaSeconds.upperBound...mediaSeconds.upperBound)
        let progress = try object.number("progress", in: 0...1)
        switch (position, offset, progress) {
        case (let position?, nil, nil): target = .position(position)
        case (nil, let offset?, nil): target = .offset(offset)
        case (nil, nil, let progress?): target = .progress(progress)
        default: throw object.invalid("position", "or offset or progress must be given, and only one of them")
        }
    }
}

/// `POST /player/scan`
struct ScanRequest: JSONReadable {
    var rate: Double

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["rate"])
        guard let rate = try object.number("rate", in: -32...32) else {
            throw object.invalid("rate", "is needed: -32...32, how many times the normal speed")
        }
        guard rate != 0, rate != 1 else { throw object.invalid("rate", "cannot be 0 or 1") }
        self.rate = rate
    }
}

/// `PATCH /player`
struct SettingsRequest: JSONReadable {
    var patch = SettingsPatch()

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json,
            [
                "name", "leader", "volume", "level", "levelBy", "muted", "balance", "playbackRate", "pitch", "repeat",
                "shuffle", "consume",
                "stopAfterCurrent", "crossfade", "autoPlay", "previousRestartsAfter", "volumeRamp", "mpris",
                "nowPlaying", "remoteCommands", "interruptionPolicy", "autoResume", "interruptionTimeout",
            ])
        patch.name = try object.playerName()
        if object.contains("leader") { patch.leader = .some(try object.text("leader")) }
        let volume = try object.number("volume", in: 0...1)
        let level = try object.number("level", in: 0...1)
        patch.levelBy = try object.number("levelBy", in: -1...1)
        patch.volumeRamp = try object.nested(Ramp.self, "volumeRamp")?.ramp
        let given = [
            ("volume", volume != nil), ("level", level != nil), ("levelBy", patch.levelBy != nil),
            ("volumeRamp", patch.volumeRamp != nil),
        ].filter(\.1).map(\.0)
        if given.count > 1 { throw object.invalid(given[0], "cannot be given together with \(given[1])") }
        patch.volume = volume ?? level.map(Level.amplitude)
        patch.muted = try object.flag("muted")
        patch.balance = try object.number("balance", in: -1...1)
        patch.repeats = try object.choice("repeat", PlayerSettings.Repeat.self)
        patch.shuffle = try object.flag("shuffle")
        patch.consume = try object.flag("consume")
        patch.stopAfterCurrent = try object.flag("stopAfterCurrent")
        patch.autoPlay = try object.flag("autoPlay")
        patch.previousRestartsAfter = try object.number("previousRestartsAfter", in: 0...3600)
        patch.interruptionPolicy = try object.choice("interruptionPolicy", PlayerSettings.InterruptionPolicy.self)
        patch.autoResume = try object.flag("autoResume")
        patch.interruptionTimeout = try object.number("interruptionTimeout", in: 0...86_400)
        patch.remote = try RemoteRequest.patch(object)
        for (name, neutral) in [("playbackRate", 1.0), ("pitch", 0), ("crossfade", 0)] {
            guard let value = try object.number(name, in: -100_000...100_000), value != neutral else { continue }
            throw object.invalid(name, "cannot be changed in this version: only \(Int(neutral)) is accepted")
        }
    }

    private struct Ramp: JSONReadable {
        var ramp: SettingsPatch.VolumeRamp

        init(_ json: JSONNode) throws(Problem) {
            let object = try StrictObject(json, ["to", "seconds"])
            guard let to = try object.number("to", in: 0...1) else { throw object.invalid("to", "is needed") }
            guard let seconds = try object.number("seconds", in: 0...3600) else {
                throw object.invalid("seconds", "is needed")
            }
            ramp = SettingsPatch.VolumeRamp(to: to, seconds: seconds)
        }
    }
}

/// `PUT /outputs/current`
struct OutputRequest: JSONReadable {
    /// nil follows the default device again.
    var id: String?

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["id"])
        guard object.contains("id") else { throw object.invalid("id", "is needed: an output's id, or null") }
        id = try object.text("id")
    }
}

extension PlaybackError {
    static func unknown(item text: String) -> PlaybackError {
        PlaybackError(.unknownItem, "There is no item \(text.prefix(40)) in the queue.")
    }
}
