// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

struct RecordingSettingsTests {
    private func problem(_ change: (inout RecordingSettings) -> Void) -> String? {
        var settings = RecordingSettings()
        change(&settings)
        return settings.problem?.member
    }

    @Test func defaults_areThoseOfATelephone() {
        let settings = RecordingSettings()
        #expect(settings.sampleRate == 8_000 && settings.channelCount == 1 && settings.bits == 16)
        #expect(settings.problem == nil)
    }

    @Test func invalidCombinations_nameTheMember() {
        for bits in [8, 16, 24] {
            #expect(problem { ($0.isFloat, $0.bits) = (true, bits) } == "bits")
        }
        #expect(problem { ($0.isFloat, $0.bits) = (true, 32) } == nil)
        #expect(problem { ($0.container, $0.isFloat, $0.bits) = (.flac, true, 32) } == "float")
        #expect(problem { ($0.container, $0.bits) = (.flac, 32) } == "bits")
        #expect(problem { $0.bits = 12 } == "bits")
        #expect(problem { ($0.container, $0.sampleRate) = (.opus, 44_100) } == "sampleRate")
        #expect(problem { ($0.container, $0.channelCount) = (.mp3, 3) } == "channels")
        #expect(problem { $0.channelCount = 9 } == "channels")
    }

    @Test(arguments: ["", "../x", "a/b", ".hidden", "-rf", "a b", "a.wav", "ä", String(repeating: "a", count: 65)])
    func unsafeNames_areRefused(_ name: String) {
        #expect(problem { $0.name = name } == "name")
    }

    @Test(arguments: ["../a.wav", "a", ".wav", "a.part", "a.wav.part", "-a.wav", "a/b.wav", "a.exe", "..wav"])
    func invalidIDs_areRefused(_ id: String) {
        #expect(!RecordingName.isValidID(id))
    }

    @Test func validIDs_areAccepted() {
        for id in ["a.wav", "20261121T170000Z-2.opus", "Memo_1-recovered.flac", "x.mp3"] {
            #expect(RecordingName.isValidID(id))
        }
    }
}
