// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

/// `PATCH /outputs`
struct OutputPolicyRequest: JSONReadable {
    var policy: RoutePolicy

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["policy"])
        policy = try object.needed(
            object.choice("policy", RoutePolicy.self), "policy", "is needed: pause, hold or follow")
    }
}

/// `POST /session/interruptions`
struct InterruptionRequest: JSONReadable {
    private enum Kind: String, CaseIterable { case began, ended }
    /// Those that clients report: the other sources report themselves.
    private enum Source: String, CaseIterable { case client, sleep }

    var notice: InterruptionNotice

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(json, ["type", "shouldResume", "source"])
        let kind = try object.needed(object.choice("type", Kind.self), "type", "is needed: began or ended")
        let shouldResume = try object.flag("shouldResume")
        if kind == .began, shouldResume != nil { throw object.invalid("shouldResume", "belongs to ended only") }
        let source = try object.choice("source", Source.self) ?? .client
        notice = InterruptionNotice(
            isBeginning: kind == .began, source: source == .sleep ? .sleep : .client,
            shouldResume: shouldResume ?? true)
    }
}

/// `PATCH /session` and `PUT /session`
struct SessionChange: JSONReadable {
    var request = SessionRequest()

    /// What `PUT` leaves out is as at the start.
    var replacing: SessionRequest {
        var request = request
        request.category = request.category ?? .playback
        request.options = request.options ?? []
        request.mode = request.mode ?? .default
        return request
    }

    init(_ json: JSONNode) throws(Problem) {
        let object = try StrictObject(
            json, ["category", "options", "mode", "active", "notifyOthers", "silentSwitch", "locked"])
        request.category = try object.choice("category", SessionCategory.self)
        request.options = try object.nested(Options.self, "options")?.options
        request.mode = try object.choice("mode", SessionMode.self)
        request.active = try object.flag("active")
        request.silentSwitch = try object.flag("silentSwitch")
        request.locked = try object.flag("locked")
        if let notifies = try object.flag("notifyOthers") {
            guard request.active == false else { throw object.invalid("notifyOthers", "belongs to active: false only") }
            request.notifyOthers = notifies
        }
    }

    private struct Options: JSONReadable {
        var options: Set<SessionOption> = []

        init(_ json: JSONNode) throws(Problem) {
            let known = SessionOption.allCases.map(\.rawValue).joined(separator: ", ")
            guard json.kind == .list else { throw json.invalid("must be a list of: \(known)") }
            for element in json.elements {
                guard let option = element.string.flatMap(SessionOption.init(rawValue:)) else {
                    throw json.invalid("must be a list of: \(known)")
                }
                options.insert(option)
            }
        }
    }
}
