// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Threading

/// Requests that are not answered yet. Of the announcer's thread.
struct OpenRequests {
    /// One that has not come to rest by then is answered as it stands.
    private static let replyWithin = 0.8

    private struct Request {
        var until: MonotonicTime
        var answer: Answer
    }

    private enum Answer {
        case announcement(Announcer.Reply<Announcement>)
        case effect(Announcer.Reply<SoundEffect>)
    }

    private var requests: [SoundID: Request] = [:]

    var deadline: MonotonicTime? { requests.values.map(\.until).min() }

    mutating func add(_ id: SoundID, _ reply: @escaping Announcer.Reply<Announcement>, now: MonotonicTime) {
        requests[id] = Request(until: now.advanced(bySeconds: Self.replyWithin), answer: .announcement(reply))
    }

    mutating func add(_ id: SoundID, _ reply: @escaping Announcer.Reply<SoundEffect>, now: MonotonicTime) {
        requests[id] = Request(until: now.advanced(bySeconds: Self.replyWithin), answer: .effect(reply))
    }

    /// Somebody else answers it.
    mutating func forget(_ id: SoundID) { requests[id] = nil }

    mutating func answer(_ id: SoundID, _ result: Result<Announcement, AnnouncerError>) {
        guard case .announcement(let reply) = requests[id]?.answer else { return }
        requests[id] = nil
        reply(result)
    }

    mutating func answer(_ id: SoundID, _ result: Result<SoundEffect, AnnouncerError>) {
        guard case .effect(let reply) = requests[id]?.answer else { return }
        requests[id] = nil
        reply(result)
    }

    mutating func answerLate(_ announcements: [Announcement], _ effects: [SoundEffect], now: MonotonicTime) {
        for (id, request) in requests where request.until <= now {
            if let announcement = announcements.first(where: { $0.id == id }) {
                answer(id, .success(announcement))
            } else if let effect = effects.first(where: { $0.id == id }) {
                answer(id, .success(effect))
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
