// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Playback
import Testing

struct EffectSettingsTests {
    private func decibels(
        _ mode: EffectSettings.Loudness.Mode, _ track: TrackLoudness?, inAlbum: Bool = false, preamp: Double = 0,
        prevents: Bool = true
    ) -> Double {
        var loudness = EffectSettings.Loudness()
        loudness.mode = mode
        loudness.preamp = preamp
        loudness.untaggedPreamp = -5
        loudness.preventsClipping = prevents
        return (20 * log10(Double(loudness.factor(for: track, inAlbum: inAlbum))) * 1_000).rounded() / 1_000
    }

    private let both = TrackLoudness(trackGain: -7, trackPeak: 0.5, albumGain: -9, albumPeak: 1)

    @Test func modeChoosesTheGain() {
        #expect(decibels(.off, both) == 0)
        #expect(decibels(.track, both) == -7)
        #expect(decibels(.album, both) == -9)
        #expect(decibels(.auto, both) == -7)
        #expect(decibels(.auto, both, inAlbum: true) == -9)
        #expect(decibels(.album, TrackLoudness(trackGain: -3)) == -3)
        #expect(decibels(.track, both, preamp: 2) == -5)
    }

    @Test func unknownTracksHaveTheirOwnPreamp() {
        #expect(decibels(.track, nil, preamp: 2) == -5)
        #expect(decibels(.off, nil) == 0)
    }

    @Test func peakBoundsTheGain() {
        let quiet = TrackLoudness(trackGain: 9, trackPeak: 0.5)
        #expect(decibels(.track, quiet) == 6.021)
        #expect(decibels(.track, quiet, prevents: false) == 9)
        #expect(decibels(.track, TrackLoudness(trackGain: 3, trackPeak: 1.2)) == -1.584)
        #expect(decibels(.track, TrackLoudness(trackGain: -1, trackPeak: 1.3)) == -2.279)
    }
}
