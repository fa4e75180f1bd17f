// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Decides which announcement plays, which ones wait, and the treatment of the music, as a pure state machine.
///
/// Each output has a queue of its own ("line"), with at most one active announcement. Suspended announcements resume
/// before others of their priority begin.
struct AnnouncementSchedule {
    static let waitingLimit = 16
    /// Outputs with announcements at the same time.
    static let lineLimit = 4

    enum Action: Equatable {
        case start(Announcement)
        /// Keeps its position for `resume`.
        case pause(SoundID)
        case resume(SoundID)
        case stop(SoundID)
        /// nil: untreated.
        case treatMusic(MusicTreatment?)
        case notify(AnnouncementChange)
    }

    private struct Entry {
        var announcement: Announcement
        /// The music plays on its output.
        var concernsMusic: Bool
        /// nil while it waits.
        var progress: SoundProgress?
        /// It follows another announcement: the music keeps its treatment until this one is heard.
        var keepsMusic = false

        var isActive: Bool { announcement.state == .loading || announcement.state == .playing }
        var deadline: MonotonicTime? { isActive ? progress?.deadline : nil }
        var line: String { announcement.request.output ?? "" }
        var priority: AnnouncementPriority { announcement.request.priority }
    }

    /// In the order of arrival.
    private var entries: [Entry] = []
    private var treatment: MusicTreatment?
    private var actions: [Action] = []
    private var now = MonotonicTime(nanoseconds: 0)
    /// Lines whose active announcement has ended in this step after it was heard.
    private var handedOver: Set<String> = []

    var announcements: [Announcement] { entries.map(\.announcement) }
    var isEmpty: Bool { entries.isEmpty }
    /// An announcement is playing or about to play.
    var isActive: Bool { entries.contains(where: \.isActive) }

    /// Whether another announcement for this output would begin at once.
    func begins(on output: String?, _ priority: AnnouncementPriority) -> Bool {
        entries.allSatisfy { $0.line != output ?? "" || $0.priority < priority }
    }

    // MARK: Inputs

    /// The request's `output` must be resolved. `concernsMusic`: the music plays there.
    mutating func add(
        _ announcement: Announcement, concernsMusic: Bool, now: MonotonicTime
    ) throws(AnnouncerError) -> [Action] {
        begin(now)
        let entry = Entry(announcement: announcement, concernsMusic: concernsMusic)
        if !entries.contains(where: { $0.line == entry.line }), Set(entries.map(\.line)).count >= Self.lineLimit {
            throw .busy("\(Self.lineLimit) outputs have announcements, the maximum.")
        }
        let waiting = entries.indices.filter { entries[$0].announcement.state == .waiting }
        let begins = begins(on: announcement.request.output, announcement.request.priority)
        if waiting.count >= Self.waitingLimit, !begins {
            guard let last = waiting.min(by: { isLater(entries[$0], entries[$1]) }),
                entries[last].priority < entry.priority
            else { throw .busy("\(Self.waitingLimit) announcements are waiting, the maximum.") }
            end(last, SoundEnd(.replaced))
        }
        entries.append(entry)
        return finish()
    }

    /// nil: there is no such announcement.
    mutating func end(_ id: SoundID, _ end: SoundEnd, now: MonotonicTime) -> [Action]? {
        begin(now)
        guard let index = index(of: id) else { return nil }
        self.end(index, end)
        return finish()
    }

    /// The announcement cannot be played. Ignored for an active one: its voice will report the failure.
    mutating func refuse(_ id: SoundID, _ error: PlaybackError, now: MonotonicTime) -> [Action] {
        begin(now)
        guard isWaiting(id), let index = index(of: id) else { return [] }
        end(index, SoundEnd(.failed, error))
        return finish()
    }

    func isWaiting(_ id: SoundID) -> Bool {
        entries.contains { $0.announcement.id == id && $0.announcement.state == .waiting }
    }

    mutating func report(_ report: VoiceReport, of id: SoundID, now: MonotonicTime) -> [Action] {
        begin(now)
        guard let index = index(of: id), entries[index].progress != nil else { return [] }
        switch report {
        case .heard: heard(index)
        case .silent: if entries[index].isActive { entries[index].progress?.fellSilent(now) }
        case .finished:
            // It was too short for a report that it is heard.
            if entries[index].progress?.began == nil { heard(index) }
            end(index, SoundEnd(.finished), isOver: true)
        case .failed(let error): end(index, SoundEnd(.failed, error), isOver: true)
        }
        return finish()
    }

    mutating func endAll(_ end: SoundEnd, now: MonotonicTime) -> [Action] {
        begin(now)
        while !entries.isEmpty { self.end(entries.count - 1, end) }
        return finish()
    }

    mutating func check(now: MonotonicTime) -> [Action] {
        begin(now)
        let overdue = entries.filter { $0.deadline.map { $0 <= now } ?? false }
        for entry in overdue {
            guard let index = index(of: entry.announcement.id), let progress = entry.progress else { continue }
            end(index, SoundEnd(.failed, progress.failure))
        }
        return finish()
    }

    var nextDeadline: MonotonicTime? { entries.compactMap(\.deadline).min() }

    // MARK: Steps

    private mutating func begin(_ now: MonotonicTime) {
        self.now = now
        actions = []
        handedOver = []
    }

    private mutating func finish() -> [Action] {
        for line in Set(entries.map(\.line)) { settle(line) }
        settleMusic()
        return actions
    }

    private func index(of id: SoundID) -> Int? { entries.firstIndex { $0.announcement.id == id } }

    /// Whether it plays after the other one.
    private func isLater(_ left: Entry, _ right: Entry) -> Bool {
        left.priority == right.priority
            ? left.announcement.id > right.announcement.id : left.priority < right.priority
    }

    private mutating func heard(_ index: Int) {
        guard entries[index].isActive else { return }
        let isFirst = entries[index].progress?.heard(now) ?? false
        let wasPlaying = entries[index].announcement.state == .playing
        entries[index].announcement.state = .playing
        guard !wasPlaying else { return }
        actions.append(.notify(AnnouncementChange(entries[index].announcement, isFirst ? .began : .resumed)))
    }

    /// `isOver`: its voice is silent already.
    private mutating func end(_ index: Int, _ end: SoundEnd, isOver: Bool = false) {
        let entry = entries.remove(at: index)
        if entry.isActive, entry.progress?.isHeard == true { handedOver.insert(entry.line) }
        if entry.progress != nil, !isOver { actions.append(.stop(entry.announcement.id)) }
        actions.append(.notify(AnnouncementChange(entry.announcement, .ended(end))))
    }

    /// Starts the announcement that should be active in this line.
    private mutating func settle(_ line: String) {
        let here = entries.indices.filter { entries[$0].line == line }
        let active = here.first { entries[$0].isActive }
        guard let next = here.filter({ !entries[$0].isActive }).max(by: { isLater(entries[$0], entries[$1]) }) else {
            return
        }
        if let active {
            guard entries[active].priority < entries[next].priority else { return }
            if entries[active].progress?.isHeard == true { handedOver.insert(line) }
            entries[active].announcement.state = .setAside
            actions.append(.pause(entries[active].announcement.id))
            actions.append(.notify(AnnouncementChange(entries[active].announcement, .setAside)))
        }
        let isResumed = entries[next].announcement.state == .setAside
        entries[next].announcement.state = .loading
        entries[next].keepsMusic = isResumed || handedOver.contains(line)
        if isResumed {
            entries[next].progress?.restart(now)
            actions.append(.resume(entries[next].announcement.id))
        } else {
            entries[next].progress = SoundProgress(entries[next].announcement.request.sound, now: now)
            actions.append(.start(entries[next].announcement))
        }
    }

    /// Derived from the active announcements, so that nothing has to be undone.
    private mutating func settleMusic() {
        var wanted: MusicTreatment?
        for entry in entries where entry.concernsMusic && entry.isActive {
            // A short silence does not end its treatment.
            if entry.announcement.state == .playing {
                wanted = .stronger(wanted, entry.announcement.request.music)
            } else if entry.keepsMusic {
                wanted = .stronger(wanted, treatment)
            }
        }
        guard wanted != treatment else { return }
        treatment = wanted
        actions.append(.treatMusic(wanted))
    }
}
