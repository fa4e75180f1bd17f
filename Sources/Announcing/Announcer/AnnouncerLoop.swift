// SPDX-License-Identifier: Apache-2.0

import Playback
import Threading

/// The announcer's private side: feeds the schedules and does what they say. Lives on the announcer's thread.
final class AnnouncerLoop {
    /// Slow enough not to click, fast enough that the first word is heard.
    private static let duckSeconds = 0.15
    private static let returnSeconds = 0.4
    /// A request that has not come to rest by then is answered as it stands.
    private static let replyWithin = 0.8

    private let environment: Announcer.Environment
    private let mailbox: Mailbox<AnnouncerMessage>
    private let board: AnnouncerBoard
    private let pool: VoicePool
    private var schedule = AnnouncementSchedule()
    private var effects = EffectSchedule()
    private var rules: SessionRules
    private var lastNumber: UInt64 = 0
    private var treatment: MusicTreatment?
    private var waiting: [SoundID: Waiting] = [:]

    /// A request that is not answered yet.
    private struct Waiting {
        var until: MonotonicTime
        var answer: Answer
    }

    private enum Answer {
        case announcement(Announcer.Reply<Announcement>)
        case effect(Announcer.Reply<SoundEffect>)
    }

    init(
        _ environment: Announcer.Environment, _ mailbox: Mailbox<AnnouncerMessage>, _ board: AnnouncerBoard,
        _ rules: SessionRules
    ) {
        self.environment = environment
        self.mailbox = mailbox
        self.board = board
        self.rules = rules
        pool = VoicePool(environment.voices) { [mailbox] id, report in mailbox.post(.report(id, report)) }
        pool.obey(rules)
    }

    private var now: MonotonicTime { environment.clock.now }

    func run() {
        while true {
            for message in mailbox.take(until: deadline) {
                if case .shutdown = message { return end() }
                receive(message)
            }
            perform(schedule.check(now: now))
            perform(effects.check(now: now))
            pool.cool(now: now)
            publish()
            answerLate()
        }
    }

    private var deadline: MonotonicTime? {
        ([schedule.nextDeadline, effects.nextDeadline, pool.nextDeadline] + waiting.values.map(\.until))
            .compactMap(\.self).min()
    }

    private func receive(_ message: AnnouncerMessage) {
        switch message {
        case .announce(let request, let reply): announce(request, reply)
        case .play(let sound, let reply): play(sound, reply)
        case .cancel(let id, let kind, let reply): cancel(id, kind, reply)
        case .report(let id, let report):
            perform(schedule.report(report, of: id, now: now))
            perform(effects.report(report, of: id, now: now))
        case .obey(let rules):
            self.rules = rules
            pool.obey(rules)
            guard let refusal = rules.refusal else { return }
            let error = PlaybackError(.sessionForbids, refusal)
            perform(schedule.failAll(error, now: now))
            perform(effects.failAll(error))
        case .shutdown: break
        }
    }

    // MARK: Requests

    private func announce(_ request: AnnouncementRequest, _ reply: @escaping Announcer.Reply<Announcement>) {
        let output = environment.music.output
        do throws(AnnouncerError) {
            try admit(output)
            var request = request
            if let device = request.output, !output.devices.devices.contains(where: { $0.id == device }) {
                throw .unknownOutput(device)
            }
            let current = output.devices.current
            request.output = request.output ?? current
            request.sound.volume = request.sound.volume ?? environment.music.volume
            let announcement = Announcement(id: newID(), request: request)
            waiting[announcement.id] = Waiting(
                until: now.advanced(bySeconds: Self.replyWithin), answer: .announcement(reply))
            perform(try add(announcement, concernsMusic: request.output == current))
            publish()
            // One that waits for its turn has come to rest.
            if let added = schedule.announcements.first(where: { $0.id == announcement.id }), added.state == .waiting {
                answer(announcement.id, .success(added))
            }
        } catch {
            reply(.failure(error))
        }
    }

    private func add(_ announcement: Announcement, concernsMusic: Bool) throws(AnnouncerError) -> [AnnouncementSchedule
        .Action]
    {
        do throws(AnnouncementSchedule.Refusal) {
            return try schedule.add(announcement, concernsMusic: concernsMusic, now: now)
        } catch {
            waiting[announcement.id] = nil
            switch error {
            case .tooManyWaiting:
                throw .busy("\(AnnouncementSchedule.waitingLimit) announcements wait already.")
            case .tooManyOutputs:
                throw .busy("\(AnnouncementSchedule.lineLimit) outputs have announcements already.")
            }
        }
    }

    private func play(_ sound: Sound, _ reply: @escaping Announcer.Reply<SoundEffect>) {
        do throws(AnnouncerError) {
            try admit(environment.music.output)
            var sound = sound
            sound.volume = sound.volume ?? environment.music.volume
            let effect = SoundEffect(id: newID(), sound: sound)
            waiting[effect.id] = Waiting(until: now.advanced(bySeconds: Self.replyWithin), answer: .effect(reply))
            perform(effects.add(effect, now: now))
            publish()
        } catch {
            reply(.failure(error))
        }
    }

    private func admit(_ output: OutputStatus) throws(AnnouncerError) {
        if let refusal = environment.voices.refusal { throw .playback(PlaybackError(.outputUnavailable, refusal)) }
        if let refusal = rules.refusal { throw .playback(PlaybackError(.sessionForbids, refusal)) }
        if case .unavailable(let message) = output.availability {
            throw .playback(PlaybackError(.outputUnavailable, message))
        }
    }

    private func cancel(_ id: SoundID, _ kind: VoiceKind, _ reply: Announcer.Reply<Void>) {
        switch kind {
        case .announcement:
            guard let actions = schedule.cancel(id, now: now) else { return reply(.failure(.unknown(id))) }
            perform(actions)
        case .effect:
            guard let actions = effects.cancel(id) else { return reply(.failure(.unknown(id))) }
            perform(actions)
        }
        publish()
        reply(.success(()))
    }

    private func newID() -> SoundID {
        lastNumber += 1
        return SoundID(number: lastNumber)
    }

    // MARK: Actions

    private func perform(_ actions: [AnnouncementSchedule.Action]) {
        for action in actions {
            switch action {
            case .start(let announcement):
                let request = announcement.request
                pool.play(request.sound, id: announcement.id, .announcement, on: request.output)
            case .pause(let id): pool.pause(id)
            case .resume(let id): pool.resume(id)
            case .stop(let id): pool.release(id, stops: true, now: now)
            case .treatMusic(let treatment): treatMusic(treatment)
            case .tell(let change): tell(change)
            }
        }
    }

    private func perform(_ actions: [EffectSchedule.Action]) {
        for action in actions {
            switch action {
            case .start(let effect):
                pool.play(effect.sound, id: effect.id, .effect, on: environment.music.output.devices.current)
            case .stop(let id): pool.release(id, stops: true, now: now)
            case .began(let effect):
                publish()
                answer(effect.id, .success(effect))
            case .ended(let effect, let end):
                pool.release(effect.id, stops: false, now: now)
                board.publish { $0.remember(effect, end) }
                publish()
                if let error = end.error {
                    answer(effect.id, Result<SoundEffect, AnnouncerError>.failure(.playback(error)))
                } else {
                    answer(effect.id, .success(effect))
                }
            }
        }
    }

    private func treatMusic(_ new: MusicTreatment?) {
        let old = treatment
        treatment = new
        let isPaused = old == .pause
        if new == .pause, !isPaused { environment.music.interrupt(true) }
        let (gain, before) = (new?.gain ?? 1, old?.gain ?? 1)
        if gain != before {
            environment.music.duck(to: gain, over: gain < before ? Self.duckSeconds : Self.returnSeconds)
        }
        if new != .pause, isPaused { environment.music.interrupt(false) }
    }

    private func tell(_ change: AnnouncementChange) {
        let announcement = change.announcement
        if case .ended(let end) = change.kind {
            pool.release(announcement.id, stops: false, now: now)
            board.publish { $0.remember(announcement, end) }
        }
        publish()
        board.tell(change)
        if case .ended(let end) = change.kind, let error = end.error {
            answer(announcement.id, Result<Announcement, AnnouncerError>.failure(.playback(error)))
        } else {
            answer(announcement.id, .success(announcement))
        }
    }

    private func publish() {
        let (announcements, playing) = (schedule.announcements, effects.effects)
        board.publish { status in
            status.announcements = announcements
            status.effects = playing
        }
    }

    // MARK: Answers

    private func answer(_ id: SoundID, _ result: Result<Announcement, AnnouncerError>) {
        guard case .announcement(let reply) = waiting[id]?.answer else { return }
        waiting[id] = nil
        reply(result)
    }

    private func answer(_ id: SoundID, _ result: Result<SoundEffect, AnnouncerError>) {
        guard case .effect(let reply) = waiting[id]?.answer else { return }
        waiting[id] = nil
        reply(result)
    }

    private func answerLate() {
        for (id, request) in waiting where request.until <= now {
            if let announcement = schedule.announcements.first(where: { $0.id == id }) {
                answer(id, .success(announcement))
            } else if let effect = effects.effects.first(where: { $0.id == id }) {
                answer(id, .success(effect))
            }
        }
    }

    // MARK: The end

    private func end() {
        let error = PlaybackError(.shuttingDown, "The server is going down.")
        perform(schedule.failAll(error, now: now))
        perform(effects.failAll(error))
        pool.endAll()
    }
}
