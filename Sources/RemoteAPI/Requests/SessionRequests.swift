// SPDX-License-Identifier: Apache-2.0

import Playback
import Session

/// `PATCH /outputs`
struct OutputPolicyRequest: Decodable {
    var policy: RoutePolicy

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["policy"])
        guard let policy = try object.choice("policy", RoutePolicy.self) else {
            throw object.invalid("policy", "is needed: pause, hold or follow")
        }
        self.policy = policy
    }
}

/// `POST /session/interruptions`
struct InterruptionRequest: Decodable {
    private enum Kind: String, CaseIterable { case began, ended }
    /// Who may say so: the other sources speak for themselves.
    private enum Source: String, CaseIterable { case client, sleep }

    var notice: InterruptionNotice

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(decoder, ["type", "shouldResume", "source"])
        guard let kind = try object.choice("type", Kind.self) else {
            throw object.invalid("type", "is needed: began or ended")
        }
        let shouldResume = try object.flag("shouldResume")
        if kind == .began, shouldResume != nil { throw object.invalid("shouldResume", "belongs to ended only") }
        let source = try object.choice("source", Source.self) ?? .client
        notice = InterruptionNotice(
            isBeginning: kind == .began, source: source == .sleep ? .sleep : .client,
            shouldResume: shouldResume ?? true)
    }
}

/// `PATCH /session` and `PUT /session`
struct SessionChange: Decodable {
    var request = SessionRequest()

    /// What `PUT` leaves out is as at the start.
    var replacing: SessionRequest {
        var request = request
        request.category = request.category ?? .playback
        request.options = request.options ?? []
        request.mode = request.mode ?? .default
        return request
    }

    init(from decoder: any Decoder) throws {
        let object = try StrictObject(
            decoder, ["category", "options", "mode", "active", "notifyOthers", "silentSwitch", "locked"])
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

    private struct Options: Decodable {
        var options: Set<SessionOption> = []

        init(from decoder: any Decoder) throws {
            let known = SessionOption.allCases.map(\.rawValue).joined(separator: ", ")
            let texts: [String]
            do {
                texts = try decoder.singleValueContainer().decode([String].self)
            } catch {
                throw Problem.invalid("options", "options must be a list of: \(known).")
            }
            for text in texts {
                guard let option = SessionOption(rawValue: text) else {
                    throw Problem.invalid("options", "options must be a list of: \(known).")
                }
                options.insert(option)
            }
        }
    }
}
