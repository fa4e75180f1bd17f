// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
public import Playback
import Service

extension RemoteAPI {
    /// What a body of `PUT /effects` asks for.
    public static func effects(json: [UInt8]) throws(PlaybackError) -> EffectSettings {
        let patch: EffectsPatch
        do throws(Problem) {
            patch = try JSONBody.read(EffectsRequest.self, from: json).replacing
        } catch {
            throw PlaybackError(.outOfRange, error.detail, member: error.member)
        }
        return try PlayerSettings().applying(.merge(patch)).effects
    }
}

/// `/effects`: what is done to the sound, and the equaliser's presets.
struct EffectRoutes: Sendable {
    let services: Services

    var routes: [Route] {
        let base = "/api/v1/effects"
        return [
            .get(base) { _, reply in reply(.json(Self.encode(services.player.snapshot))) },
            .command("effects", .patch, base) { command, reply throws(Problem) in
                let patch = try command.requiredBody(EffectsRequest.self).patch
                change(.merge(patch)) { reply($0.map { Outcome(Self.encode($0)) }) }
            },
            .put(base) { call, reply throws(Problem) in
                let patch = try call.command.requiredBody(EffectsRequest.self).replacing
                change(.merge(patch), reply: answering(reply) { .json(Self.encode($0)) })
            },
            .get(base + "/presets") { _, reply in
                let presets = EffectPreset.shipped + services.player.snapshot.settings.effectPresets
                reply(.json { $0.member("presets", objects: presets) { $0.members(of: $1) } })
            },
            .post(base + "/presets") { call, reply throws(Problem) in
                let request = try call.command.requiredBody(PresetTextRequest.self)
                let place = services.path.of(base) + "/presets/" + PercentEncoding.encode(request.name)
                change(
                    .keep(name: request.name, preamp: request.preamp, bands: request.bands),
                    reply: answering(reply) {
                        .json(Self.encode(request.name, $0), status: 201, [("Location", place)])
                    })
            },
            .put(base + "/presets/{name}") { call, reply throws(Problem) in
                let request = try call.body(PresetRequest.self)
                let name = try Self.name(call)
                change(
                    .keep(name: name, preamp: request.preamp, bands: request.bands),
                    reply: answering(reply) { .json(Self.encode(name, $0)) })
            },
            .delete(base + "/presets/{name}") { call, reply throws(Problem) in
                change(
                    .forget(preset: try Self.name(call)), reply: answering(reply) { _ in HTTPResponse(status: 204) })
            },
        ]
    }

    /// Names are any text, unlike ids.
    private static func name(_ call: APICall) throws(Problem) -> String {
        guard let name = PercentEncoding.decode(call.parameters[0]) else {
            throw Problem(PlaybackError(.noSuchContent, "There is no preset \(call.parameters[0].prefix(100))."))
        }
        return name
    }

    private func change(_ change: EffectsChange, reply: @escaping ServiceReply<PlayerSnapshot>) {
        services.verbs.perform(.changeEffects(change), reply: reply)
    }

    private static func encode(_ snapshot: PlayerSnapshot) -> [UInt8] {
        JSONWriter.object { $0.members(of: snapshot.settings.effects) }
    }

    private static func encode(_ name: String, _ snapshot: PlayerSnapshot) -> [UInt8] {
        JSONWriter.object { writer in
            if let preset = snapshot.settings.preset(named: name) { writer.members(of: preset) }
        }
    }
}
