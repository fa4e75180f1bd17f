// SPDX-License-Identifier: Apache-2.0

import Playback

extension JSONWriter {
    /// `/effects`, and the data of the event.
    mutating func members(of effects: EffectSettings) {
        member("enabled", effects.isEnabled)
        member("loudness") { writer in
            writer.member("mode", effects.loudness.mode.rawValue)
            writer.member("preamp", effects.loudness.preamp)
            writer.member("untaggedPreamp", effects.loudness.untaggedPreamp)
            writer.member("preventClipping", effects.loudness.preventsClipping)
        }
        member("equalizer") { writer in
            writer.member("enabled", effects.equalizer.isEnabled)
            writer.member("preset", effects.equalizer.preset)
            writer.member("preamp", effects.equalizer.preamp)
            writer.member("bands", array: effects.equalizer.bands) { $0.band($1) }
        }
        member("compressor") { writer in
            writer.member("enabled", effects.compressor.isEnabled)
            writer.member("preset", effects.compressor.preset.rawValue)
        }
        member("limiter") { writer in
            writer.member("enabled", effects.limiter.isEnabled)
            writer.member("ceiling", effects.limiter.ceiling)
        }
        member("crossfeed") { writer in
            writer.member("enabled", effects.crossfeed.isEnabled)
            writer.member("level", effects.crossfeed.level)
        }
        member("width", effects.width)
        member("mono", effects.mono)
        member("delay", effects.delay)
        member("reverb") { writer in
            writer.member("enabled", effects.reverb.isEnabled)
            writer.member("mix", effects.reverb.mix)
            writer.member("decay", effects.reverb.decay)
        }
    }

    mutating func members(of preset: EffectPreset) {
        member("name", preset.name)
        member("shipped", preset.isShipped)
        member("preamp", preset.preamp)
        member("bands", array: preset.bands) { $0.band($1) }
    }

    private mutating func band(_ band: EffectSettings.Band) {
        object { writer in
            writer.member("type", band.shape.rawValue)
            writer.member("frequency", band.frequency)
            writer.member("gain", band.gain)
            writer.member("q", band.q)
        }
    }
}
