// SPDX-License-Identifier: Apache-2.0

internal import Playback

extension Problem {
    init(_ error: TimerError) {
        switch error {
        case .unknown(let id): self = .notFound("There is no timer \(id.prefix(40)).", code: "unknown-timer")
        case .invalid(let member, let detail): self = .invalid(member, "\(member) \(detail).")
        case .tooMany(let maximum):
            self = .invalid("type", "A player has at most \(maximum) timers.", code: "too-many-timers")
        case .tooLarge(let bytes): self = .tooLarge("The items of all alarms take at most \(bytes >> 10) KB.")
        case .notRinging: self.init(.conflict, "not-ringing", "This timer is no alarm that is ringing.")
        case .notSaved(let reason): self.init(.failed, "not-saved", "The timers cannot be saved: \(reason).")
        case .unavailable(let detail): self = .busy(detail)
        }
    }
}
