// SPDX-License-Identifier: Apache-2.0

import Playback

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
