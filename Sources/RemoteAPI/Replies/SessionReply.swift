// SPDX-License-Identifier: Apache-2.0

import Session

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

extension Problem {
    init(_ problem: SessionProblem) {
        switch problem {
        case .invalid(let member, let detail): self = .invalid(member, detail)
        case .unavailable(let detail):
            self.init(status: 409, code: "session-forbids", title: "Not possible in this state", detail: detail)
        case .noSuitableRoute(let detail):
            self.init(
                status: 503, code: "no-suitable-route", title: "No suitable route", detail: detail,
                headers: [("Retry-After", "2")])
        case .notSaved(let detail):
            self.init(status: 500, code: "not-saved", title: "Not saved", detail: detail)
        }
    }
}
