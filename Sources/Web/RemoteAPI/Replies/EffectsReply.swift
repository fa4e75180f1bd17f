// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// `/effects`, and the data of the event.
    mutating func members(of effects: EffectSettings) {
        for member in EffectMember.all { member.write(&self, effects) }
    }

    mutating func members(of preset: EffectPreset) {
        member("name", preset.name)
        member("shipped", preset.isShipped)
        member("preamp", preset.preamp)
        member("bands", array: preset.bands) { $0.band($1) }
    }

    mutating func band(_ band: EffectSettings.Band) {
        object { writer in
            writer.member("type", band.shape.rawValue)
            writer.member("frequency", band.frequency)
            writer.member("gain", band.gain)
            writer.member("q", band.q)
        }
    }
}
