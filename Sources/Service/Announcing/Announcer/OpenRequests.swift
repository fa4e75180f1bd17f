// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Unanswered requests. Used on the announcer's thread.
struct OpenRequests {
    /// Seconds after which a request is answered with the present state.
    private static let replyWithin = 0.8

    private struct Request {
        /// nil: answered at the end of the sound.
        var until: MonotonicTime?
        var answer: Answer
    }

    private enum Answer {
        case announcement(Announcer.Reply<AnnouncementOutcome>)
        case effect(Announcer.Reply<SoundEffect>)
    }

    private var requests: [SoundID: Request] = [:]

    var deadline: MonotonicTime? { requests.values.compactMap(\.until).min() }

    /// `untilEnd`: answered when it has ended.
    mutating func add(
        _ id: SoundID, untilEnd: Bool, _ reply: @escaping Announcer.Reply<AnnouncementOutcome>, now: MonotonicTime
    ) {
        let until = untilEnd ? nil : now.advanced(bySeconds: Self.replyWithin)
        requests[id] = Request(until: until, answer: .announcement(reply))
    }

    mutating func add(_ id: SoundID, _ reply: @escaping Announcer.Reply<SoundEffect>, now: MonotonicTime) {
        requests[id] = Request(until: now.advanced(bySeconds: Self.replyWithin), answer: .effect(reply))
    }

    /// `end`: nil until it has ended.
    mutating func answer(_ announcement: Announcement, _ end: SoundEnd? = nil) {
        let id = announcement.id
        guard let request = requests[id], case .announcement(let reply) = request.answer,
            end != nil || request.until != nil
        else { return }
        requests[id] = nil
        if let error = end?.error {
            reply(.failure(.playback(error)))
        } else {
            reply(.success(AnnouncementOutcome(announcement: announcement, end: end)))
        }
    }

    mutating func answer(_ effect: SoundEffect, _ end: SoundEnd? = nil) {
        guard case .effect(let reply) = requests[effect.id]?.answer else { return }
        requests[effect.id] = nil
        if let error = end?.error { reply(.failure(.playback(error))) } else { reply(.success(effect)) }
    }

    mutating func answerLate(_ announcements: [Announcement], _ effects: [SoundEffect], now: MonotonicTime) {
        for (id, request) in requests where request.until.map({ $0 <= now }) ?? false {
            if let announcement = announcements.first(where: { $0.id == id }) {
                answer(announcement)
            } else if let effect = effects.first(where: { $0.id == id }) {
                answer(effect)
            }
        }
    }

    mutating func refuseAll(_ error: AnnouncerError) {
        let all = requests.values
        requests = [:]
        for request in all {
            switch request.answer {
            case .announcement(let reply): reply(.failure(error))
            case .effect(let reply): reply(.failure(error))
            }
        }
    }
}
