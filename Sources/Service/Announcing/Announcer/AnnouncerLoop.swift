// SPDX-License-Identifier: Apache-2.0

import Playback
import Kernel

/// The loop of the announcer: feeds the schedules and performs their actions. Lives on the announcer's thread.
final class AnnouncerLoop {
    private let environment: Announcer.Environment
    private let mailbox: Mailbox<AnnouncerMessage>
    private let board: AnnouncerBoard
    private let pool: VoicePool
    private var schedule = AnnouncementSchedule()
    private var effects = SoundEffectSchedule()
    private var rules: SessionRules
    private var lastNumber: UInt64 = 0
    private var music = MusicDucking()
    private var requests = OpenRequests<Announcement>()
    private var effectRequests = OpenRequests<SoundEffect>()

    init(_ environment: Announcer.Environment, _ mailbox: Mailbox<AnnouncerMessage>, _ board: AnnouncerBoard) {
        self.environment = environment
        self.mailbox = mailbox
        self.board = board
        rules = board.value.rules
        pool = VoicePool(environment.voices, environment.budget) { [mailbox] id, report in
            mailbox.post(.report(id, report))
        } displaced: { [mailbox] id in
            mailbox.post(.displaced(id))
        }
        applyRules()
    }

    /// Rules of the session and effects of the room. In the mode `measurement` sounds are not processed.
    private func applyRules() {
        pool.apply(rules)
        pool.apply(rules.isUnprocessed ? .off : environment.music.effects.ofRoom)
    }

    private var now: MonotonicTime { environment.clock.now }

    func run() {
        while true {
            for message in mailbox.take(until: deadline) {
                if case .shutdown(let end, let ended) = message { return self.end(end, ended) }
                receive(message)
            }
            perform(schedule.check(now: now))
            perform(effects.check(now: now))
            pool.cool(now: now)
            publish()
            requests.answerLate(schedule.announcements, now: now)
            effectRequests.answerLate(effects.effects, now: now)
        }
    }

    private var deadline: MonotonicTime? {
        [
            schedule.nextDeadline, effects.nextDeadline, pool.nextDeadline, requests.deadline, effectRequests.deadline,
        ].compactMap(\.self).min()
    }

    private func receive(_ message: AnnouncerMessage) {
        switch message {
        case .announce(let request, let untilEnd, let reply): announce(request, untilEnd: untilEnd, reply)
        case .play(let sound, let reply): play(sound, reply)
        case .cancel(let id, let kind, let reply): cancel(id, kind, reply)
        case .report(let id, let report):
            perform(schedule.report(report, of: id, now: now))
            perform(effects.report(report, of: id, now: now))
        case .applyRules(let rules):
            self.rules = rules
            applyRules()
            guard let refusal = rules.refusal else { return }
            let end = SoundEnd(.failed, PlaybackError(.sessionForbids, refusal))
            perform(schedule.endAll(end, now: now))
            perform(effects.endAll(end))
        case .effectsChanged: applyRules()
        case .checked(let id, let error):
            if let error { perform(schedule.refuse(id, error, now: now)) }
            answerWaiting(id)
        case .displaced(let id):
            _ = end(id, .announcement, SoundEnd(.displaced)) || end(id, .effect, SoundEnd(.displaced))
        case .musicIsBack:
            music.returned()
            settleMusic()
        case .shutdown: break
        }
    }

    // MARK: Requests

    private func announce(
        _ request: AnnouncementRequest, untilEnd: Bool, _ reply: @escaping Announcer.Reply<AnnouncementOutcome>
    ) {
        let output = environment.music.output
        do throws(AnnouncerError) {
            try admit(output)
            var request = request
            if let device = request.output, !output.devices.devices.contains(where: { $0.id == device }) {
                throw .unknownOutput(device)
            }
            let current = output.devices.current
            request.isPinned = request.output != nil
            request.output = request.output ?? current
            request.sound.volume = request.sound.volume ?? environment.music.volume
            if schedule.begins(on: request.output, request.priority) { try admit(.announcement(request.priority)) }
            let announcement = Announcement(id: newID(), request: request)
            let actions = try schedule.add(announcement, concernsMusic: request.output == current, now: now)
            requests.add(announcement.id, untilEnd: untilEnd, now: now) { result in
                reply(result.map { AnnouncementOutcome(announcement: $0.sound, end: $0.end) })
            }
            perform(actions)
            publish()
            if let check = environment.check, schedule.isWaiting(announcement.id) {
                check(request.sound.media) { [mailbox] in mailbox.post(.checked(announcement.id, $0)) }
            } else {
                answerWaiting(announcement.id)
            }
        } catch {
            reply(.failure(error))
        }
    }

    /// A waiting announcement gets its answer.
    private func answerWaiting(_ id: SoundID) {
        guard let waiting = schedule.announcements.first(where: { $0.id == id }), waiting.state == .waiting else {
            return
        }
        requests.answer(waiting)
    }

    private func play(_ sound: Sound, _ reply: @escaping Announcer.Reply<SoundEffect>) {
        do throws(AnnouncerError) {
            try admit(environment.music.output)
            if !effects.isFull { try admit(.effect) }
            var sound = sound
            sound.volume = sound.volume ?? environment.music.volume
            let effect = SoundEffect(id: newID(), sound: sound)
            effectRequests.add(effect.id, now: now) { reply($0.map(\.sound)) }
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

    private func admit(_ importance: SoundImportance) throws(AnnouncerError) {
        guard !environment.budget.admits(importance) else { return }
        throw .busy("This server plays \(VoiceBudget.playing) sounds beside the music, the maximum.")
    }

    private func cancel(_ id: SoundID, _ kind: VoiceKind, _ reply: Announcer.Reply<Void>) {
        guard end(id, kind, SoundEnd(.cancelled)) else { return reply(.failure(.unknown(id))) }
        publish()
        reply(.success(()))
    }

    /// False if there is no such sound.
    private func end(_ id: SoundID, _ kind: VoiceKind, _ end: SoundEnd) -> Bool {
        switch kind {
        case .announcement: schedule.end(id, end, now: now).map { perform($0) } != nil
        case .effect: effects.end(id, end).map { perform($0) } != nil
        }
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
                pool.play(
                    request.sound, id: announcement.id, .announcement(request.priority), on: request.output,
                    isPinned: request.isPinned)
            case .pause(let id): pool.pause(id)
            case .resume(let id): pool.resume(id)
            case .stop(let id): pool.release(id, stops: true, now: now)
            case .treatMusic(let treatment): perform(music.treat(treatment))
            case .notify(let change): notify(change)
            }
        }
        settleMusic()
    }

    private func perform(_ actions: [SoundEffectSchedule.Action]) {
        for action in actions {
            switch action {
            case .start(let effect):
                pool.play(effect.sound, id: effect.id, .effect, on: environment.music.output.devices.current)
            case .stop(let id): pool.release(id, stops: true, now: now)
            case .began(let effect):
                publish()
                effectRequests.answer(effect)
            case .ended(let effect, let end):
                pool.release(effect.id, stops: end.reason == .failed, now: now)
                board.update { $0.status.remember(effect, end) }
                publish()
                effectRequests.answer(effect, end)
            }
        }
    }

    private func perform(_ actions: [MusicDucking.Action]) {
        for action in actions {
            switch action {
            case .interrupt: environment.music.interrupt(true) {}
            case .giveBack: environment.music.interrupt(false) { [mailbox] in mailbox.post(.musicIsBack) }
            case .duck(let gain, let seconds): environment.music.duck(to: gain, over: seconds)
            case .notifySession(let isAnnouncing): environment.announcing(isAnnouncing)
            }
        }
    }

    private func settleMusic() {
        if !schedule.isActive { perform(music.settle()) }
    }

    private func notify(_ change: AnnouncementChange) {
        let announcement = change.announcement
        var end: SoundEnd?
        switch change.kind {
        case .began, .resumed: perform(music.begin())
        case .setAside: break
        case .ended(let how):
            end = how
            // A failed sound is stopped, or its player resumes it when a removed output returns.
            pool.release(announcement.id, stops: how.reason == .failed, now: now)
            board.update { $0.status.remember(announcement, how) }
        }
        publish()
        board.notify(change)
        requests.answer(announcement, end)
    }

    private func publish() {
        let (announcements, playing) = (schedule.announcements, effects.effects)
        board.update { ($0.status.announcements, $0.status.effects) = (announcements, playing) }
    }

    // MARK: The end

    private func end(_ end: SoundEnd, _ ended: () -> Void) {
        requests.refuseAll()
        effectRequests.refuseAll()
        let last = music.end()
        perform(schedule.endAll(end, now: now))
        perform(effects.endAll(end))
        ended()
        pool.endAll()
        perform(last)
    }
}
