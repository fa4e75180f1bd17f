// SPDX-License-Identifier: Apache-2.0

import HTTP
import Playback
import Service

/// `/session`: the audio session.
extension PlayerContext {
    private static let path = "/api/v1/session"

    var sessionRoutes: [Route] {
        [
            .show(Self.path, { _ throws(Problem) in try server.sessionStatus() }) { $0.members(of: $1) },
            .command("session", .patch, Self.path) { command, reply throws(Problem) in
                let request = try command.body.required().read(SessionRequest.self)
                server.changeSession(request, reply: object(reply) { $0.members(of: $1) })
            },
            .write(.put, Self.path) { call, reply throws(Problem) in
                let request = try call.body.required().read(SessionRequest.self).replacing
                server.changeSession(request, reply: object(reply) { $0.members(of: $1) })
            },
            .command("interruption", .post, Self.path + "/interruptions") { command, reply throws(Problem) in
                let notice = try command.body.read(InterruptionNotice.self)
                verbs.interrupt(notice, reply: state(reply))
            },
        ]
    }
}

/// `POST /session/interruptions`
extension InterruptionNotice: JSONReadable {
    private enum Kind: String, CaseIterable { case began, ended }

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["type", "shouldResume", "source"])
        let kind = try object.needed(object.choice("type", Kind.self), "type", "is needed: began or ended")
        let shouldResume = try object.flag("shouldResume")
        if kind == .began, shouldResume != nil { throw object.invalid("shouldResume", "belongs to ended only") }
        self.init(
            isBeginning: kind == .began,
            // Sources that clients may report; the other ones report themselves.
            source: try object.choice("source", of: [InterruptionSource.client, .sleep]) ?? .client,
            shouldResume: shouldResume ?? true)
    }
}

/// `PATCH /session` and `PUT /session`
extension SessionRequest: JSONReadable {
    /// For `PUT`: absent members are reset to their values at the start.
    var replacing: SessionRequest {
        var request = self
        request.category = category ?? .playback
        request.options = options ?? []
        request.mode = mode ?? .default
        return request
    }

    init(_ json: JSONNode) throws(Problem) {
        self.init()
        let object = try StrictObject(
            json, ["category", "options", "mode", "active", "notifyOthers", "silentSwitch", "locked"])
        category = try object.choice("category", SessionCategory.self)
        options = try object.choices("options", SessionOption.self)
        mode = try object.choice("mode", SessionMode.self)
        active = try object.flag("active")
        silentSwitch = try object.flag("silentSwitch")
        locked = try object.flag("locked")
        if let notifies = try object.flag("notifyOthers") {
            guard active == false else { throw object.invalid("notifyOthers", "belongs to active: false only") }
            notifyOthers = notifies
        }
    }
}

extension JSONWriter {
    /// `GET /session` and the `session` event.
    mutating func members(of status: SessionStatus) {
        let configuration = status.configuration
        member("category", configuration.category.rawValue)
        member("options", texts: configuration.options.map(\.rawValue).sorted())
        member("effectiveOptions", texts: configuration.effectiveOptions.map(\.rawValue).sorted())
        member("mode", configuration.mode.rawValue)
        member("active", status.isActive)
        member("available") { writer in
            writer.member("categories", texts: status.hardware.categories.map(\.rawValue))
            writer.member(
                "options",
                texts: SessionOption.allCases.filter { $0.categories.contains(configuration.category) }.map(\.rawValue))
            writer.member(
                "modes",
                texts: SessionMode.allCases.filter { $0.categories.contains(configuration.category) }.map(\.rawValue))
        }
        member("others", configuration.others.rawValue)
        member("interruptOthers", status.interruptsOthers)
        member("otherAudioPlaying", status.otherAudioPlaying)
        member("silenceSecondaryAudioHint", status.othersPlayMusic)
        member("silentSwitch", status.silentSwitch)
        member("locked", status.isLocked)
        member("mayRecord", status.recordingRefusal == nil)
    }
}
