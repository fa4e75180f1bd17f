// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Testing

@testable import RemoteAPI

@Suite struct EffectRoutesTests {
    let api = APIHarness()

    private func patch(_ body: String, method: String = "PATCH") throws -> EffectsPatch {
        let answer = try api.send(method, "/api/v1/effects", body)
        #expect(answer.status == 200, "\(answer.text)")
        guard case .changeEffects(.merge(let patch))? = api.player.commands.last else {
            throw PlaybackError(.invalidState, "The command was another one.")
        }
        return patch
    }

    private func applied(_ body: String, method: String = "PATCH", to settings: EffectSettings) throws -> EffectSettings
    {
        var settings = settings
        let patch = try patch(body, method: method)
        #expect(patch.replaces == (method == "PUT"))
        patch.apply(to: &settings)
        return settings
    }

    @Test func documentRoundTrips() throws {
        var effects = EffectSettings()
        effects.isEnabled = true
        effects.loudness.mode = .auto
        effects.loudness.preventsClipping = false
        effects.equalizer.bands = [.init(.lowShelf, frequency: 80, gain: 3, q: 0.7)]
        effects.compressor.preset = .speech
        effects.limiter.ceiling = -3
        effects.crossfeed.isEnabled = true
        effects.width = 0.5
        api.player.change { $0.settings.effects = effects }
        let document = try api.send("GET", "/api/v1/effects").text
        #expect(try applied(document, method: "PUT", to: .off) == effects)
        #expect(try api.send("GET", "/api/v1/players/main/effects").text == document)
    }

    @Test func patchMerges_andNullRestoresTheDefault() throws {
        var effects = EffectSettings()
        effects.limiter.isEnabled = true
        effects.limiter.ceiling = -6
        effects.crossfeed.isEnabled = true
        effects.equalizer.bands = [.init(.peak, frequency: 100, q: 1)]
        var expected = effects
        expected.limiter.ceiling = -1
        expected.crossfeed = EffectSettings.off.crossfeed
        expected.equalizer.bands = [.init(.notch, frequency: 50, q: 0.5.squareRoot())]
        let body =
            #"{"limiter":{"ceiling":null},"crossfeed":null,"equalizer":{"bands":[{"type":"notch","frequency":50}]}}"#
        #expect(try applied(body, to: effects) == expected)
        #expect(try patch(#"{"equalizer":{"preset":"bass"}}"#).preset == "bass")
        #expect(try applied("{}", to: effects) == effects)
    }

    @Test(
        arguments: [
            ("PATCH", "", #"{"volume":1}"#, 422, "volume"), ("PATCH", "", #"{"width":"1"}"#, 422, "width"),
            ("PATCH", "", #"{"loudness":{"mode":"loud"}}"#, 422, "loudness.mode"),
            ("PATCH", "", #"{"loudness":[]}"#, 422, "loudness"),
            ("PATCH", "", #"{"equalizer":{"bands":[{"type":"peak"}]}}"#, 422, "equalizer.bands[0].frequency"),
            ("PATCH", "", #"{"equalizer":{"bands":[{"type":"all","frequency":1}]}}"#, 422, "equalizer.bands[0].type"),
            ("PATCH", "", #"{"limiter":{"ceiling":1e999}}"#, 422, "limiter.ceiling"), ("PUT", "", "", 400, nil),
            ("POST", "/presets", #"{"name":"a"}"#, 422, "text"),
            ("POST", "/presets", #"{"name":"a","text":"hello"}"#, 422, "text"),
            ("POST", "/presets", #"{"text":"Preamp: 1 dB"}"#, 422, "name"),
            ("POST", "/presets", #"{"name":"  ","text":"Preamp: 1 dB"}"#, 422, "name"),
            ("PUT", "/presets/a", #"{"bands":{}}"#, 422, "bands"),
        ] as [(String, String, String, Int, String?)])
    func refusalNamesTheMember(
        _ method: String, _ path: String, _ body: String, _ status: Int, _ member: String?
    ) throws { try api.expectRefusal(method, "/effects" + path, body, status, member) }

    @Test func presetsAreListed_savedAndDeleted() throws {
        api.player.change { $0.settings.effectPresets = [EffectPreset(name: "Küche 1", preamp: -2, bands: [])] }
        let list = try api.send("GET", "/api/v1/effects/presets").text
        #expect(list.contains(#"{"name":"flat","shipped":true,"preamp":0,"bands":[]}"#))
        #expect(list.contains(#"{"name":"Küche 1","shipped":false,"preamp":-2,"bands":[]}"#))
        let saved = try api.send("PUT", "/api/v1/effects/presets/K%C3%BCche%201", nil)
        #expect(saved.status == 200, "\(saved.text)")
        guard case .changeEffects(.keep(name: "Küche 1", preamp: nil, bands: nil))? = api.player.commands.last else {
            return #expect(Bool(false), "another command: \(String(describing: api.player.commands.last))")
        }
        let imported = try api.send(
            "POST", "/api/v1/effects/presets", #"{"name":"Küche 1","text":"Filter 1: ON PK Fc 100 Hz Gain 3 dB Q 1"}"#)
        #expect(imported.status == 201)
        #expect(imported.headers["Location"] == "/api/v1/effects/presets/K%C3%BCche%201")
        #expect(try api.send("DELETE", "/api/v1/effects/presets/K%C3%BCche%201").status == 204)
    }
}

extension EffectRoutesTests {
    @Test func fileOfEffects_isParsedLikeABody() throws {
        var expected = EffectSettings()
        expected.isEnabled = true
        expected.equalizer.preset = "bass"
        expected.equalizer.bands = EffectPreset.shipped[1].bands
        expected.equalizer.preamp = -6
        let body = #"{"enabled":true,"equalizer":{"preset":"bass"}}"#
        #expect(try RemoteAPI.effects(json: Array(body.utf8)) == expected)
        for wrong in ["{", #"{"width":3}"#, #"{"a":1}"#] {
            #expect(throws: PlaybackError.self) { try RemoteAPI.effects(json: Array(wrong.utf8)) }
        }
    }
}
