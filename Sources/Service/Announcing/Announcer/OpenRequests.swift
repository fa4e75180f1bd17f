// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Unanswered requests for one kind of sound. Used on the announcer's thread.
struct OpenRequests<Sound: Identifiable & Sendable> where Sound.ID == SoundID {
    /// With the present sound; `end` is nil while it has not ended.
    typealias Reply = Announcer.Reply<(sound: Sound, end: SoundEnd?)>

    private struct Request {
        /// When the request is answered with the present state; nil: only at the end of the sound.
        var until: MonotonicTime?
        var reply: Reply
    }

    /// Seconds.
    private let patience = 0.8
    private var requests: [SoundID: Request] = [:]

    var deadline: MonotonicTime? { requests.values.compactMap(\.until).min() }

    /// `untilEnd`: answered when the sound has ended.
    mutating func add(_ id: SoundID, untilEnd: Bool = false, now: MonotonicTime, _ reply: @escaping Reply) {
        requests[id] = Request(until: untilEnd ? nil : now.advanced(bySeconds: patience), reply: reply)
    }

    mutating func answer(_ sound: Sound, _ end: SoundEnd? = nil) {
        guard let request = requests[sound.id], end != nil || request.until != nil else { return }
        requests[sound.id] = nil
        if let error = end?.error {
            request.reply(.failure(.playback(error)))
        } else {
            request.reply(.success((sound, end)))
        }
    }

    mutating func answerLate(_ sounds: [Sound], now: MonotonicTime) {
        for sound in sounds where requests[sound.id]?.until.map({ $0 <= now }) ?? false { answer(sound) }
    }

    /// The server is shutting down.
    mutating func refuseAll() {
        let all = requests.values
        requests = [:]
        for request in all { request.reply(.failure(.shuttingDown)) }
    }
}
