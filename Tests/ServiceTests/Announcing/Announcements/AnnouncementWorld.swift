// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing
import Kernel

@testable import Service

/// A schedule, with the voices and the music as its actions leave them.
struct AnnouncementWorld {
    enum VoiceState { case begun, paused }

    var schedule = AnnouncementSchedule()
    var voices: [SoundID: VoiceState] = [:]
    var music: MusicTreatment?
    var changes: [AnnouncementChange] = []
    /// Violations of the contract of actions.
    var faults: [String] = []
    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var last: UInt64 = 0

    func announcement(_ id: SoundID) -> Announcement? { schedule.announcements.first { $0.id == id } }
    func state(_ id: SoundID) -> Announcement.State? { announcement(id)?.state }

    /// nil: it was refused.
    @discardableResult
    mutating func announce(
        _ priority: AnnouncementPriority = .normal, music: MusicTreatment = .duck(decibels: -20),
        output: String? = "speakers", concernsMusic: Bool = true
    ) -> SoundID? {
        last += 1
        let id = SoundID(number: last)
        let request = AnnouncementRequest(Sound(uri: "a.mp3"), music: music, priority: priority, output: output)
        do throws(AnnouncerError) {
            perform(
                try schedule.add(Announcement(id: id, request: request), concernsMusic: concernsMusic, now: now))
            return id
        } catch {
            return nil
        }
    }

    /// Requires that the announcement is accepted.
    mutating func accepted(
        _ priority: AnnouncementPriority = .normal, music: MusicTreatment = .duck(decibels: -20),
        output: String? = "speakers", concernsMusic: Bool = true
    ) throws -> SoundID {
        let id = announce(priority, music: music, output: output, concernsMusic: concernsMusic)
        return try #require(id)
    }

    mutating func report(_ report: VoiceReport, _ id: SoundID) {
        switch report {
        case .finished, .failed: voices[id] = nil
        case .heard, .silent: break
        }
        perform(schedule.report(report, of: id, now: now))
    }

    mutating func refuse(_ id: SoundID, _ error: PlaybackError) {
        perform(schedule.refuse(id, error, now: now))
    }

    mutating func cancel(_ id: SoundID) -> Bool {
        guard let actions = schedule.end(id, SoundEnd(.cancelled), now: now) else { return false }
        perform(actions)
        return true
    }

    mutating func failAll() {
        perform(schedule.endAll(SoundEnd(.failed, PlaybackError(.sessionForbids, "")), now: now))
    }

    mutating func wait(_ seconds: Double) {
        let end = now.advanced(bySeconds: seconds)
        while let deadline = schedule.nextDeadline, deadline <= end {
            now = max(now, deadline)
            perform(schedule.check(now: now))
        }
        now = end
    }

    /// `a began`, `b ended failed`, with letters in the order of the requests.
    var trace: [String] {
        changes.map { change in
            let letter = String(UnicodeScalar(UInt8(96 + change.announcement.id.number)))
            return switch change.kind {
            case .began: "\(letter) began"
            case .setAside: "\(letter) set aside"
            case .resumed: "\(letter) resumed"
            case .ended(let end): "\(letter) ended \(end.reason.rawValue)"
            }
        }
    }

    private mutating func perform(_ actions: [AnnouncementSchedule.Action]) {
        for action in actions {
            switch action {
            case .start(let announcement):
                if voices[announcement.id] != nil { faults.append("\(announcement.id) is begun twice") }
                voices[announcement.id] = .begun
            case .pause(let id):
                if voices[id] != .begun { faults.append("\(id) is paused as \(String(describing: voices[id]))") }
                voices[id] = .paused
            case .resume(let id):
                if voices[id] != .paused { faults.append("\(id) is resumed as \(String(describing: voices[id]))") }
                voices[id] = .begun
            case .stop(let id):
                if voices.removeValue(forKey: id) == nil { faults.append("\(id) is stopped and was not begun") }
            case .treatMusic(let treatment):
                if music == treatment { faults.append("the music gets the same treatment twice") }
                music = treatment
            case .notify(let change): changes.append(change)
            }
        }
    }
}
