// SPDX-License-Identifier: Apache-2.0

import Playback
import Service

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
            // Those that clients report: the other sources report themselves.
            source: try object.choice("source", of: [InterruptionSource.client, .sleep]) ?? .client,
            shouldResume: shouldResume ?? true)
    }
}

/// `PATCH /session` and `PUT /session`
extension SessionRequest: JSONReadable {
    /// What `PUT` leaves out is as at the start.
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
