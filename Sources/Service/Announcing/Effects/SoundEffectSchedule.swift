// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// A sound effect that has not ended.
public struct SoundEffect: Hashable, Identifiable, Sendable {
    public enum State: String, CaseIterable, Sendable { case loading, playing }

    public var id: SoundID
    /// With the effective volume.
    public var sound: Sound
    public var state = State.loading
}

/// Decides which sound effects play: several at once, always including the newest.
struct SoundEffectSchedule {
    static let limit = 8

    enum Action: Equatable {
        case start(SoundEffect)
        case stop(SoundID)
        case began(SoundEffect)
        case ended(SoundEffect, SoundEnd)
    }

    private struct Entry {
        var effect: SoundEffect
        var progress: SoundProgress
    }

    private var entries: [Entry] = []

    var effects: [SoundEffect] { entries.map(\.effect) }
    /// A further effect ends the oldest one.
    var isFull: Bool { entries.count >= Self.limit }

    mutating func add(_ effect: SoundEffect, now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        if isFull { actions += end(0, SoundEnd(.replaced)) }
        entries.append(Entry(effect: effect, progress: SoundProgress(effect.sound, now: now)))
        actions.append(.start(effect))
        return actions
    }

    /// nil: there is no such effect.
    mutating func end(_ id: SoundID, _ end: SoundEnd) -> [Action]? { index(of: id).map { self.end($0, end) } }

    mutating func report(_ report: VoiceReport, of id: SoundID, now: MonotonicTime) -> [Action] {
        guard let index = index(of: id) else { return [] }
        switch report {
        case .heard: return heard(index, now)
        case .silent:
            entries[index].progress.fellSilent(now)
            return []
        case .finished: return heard(index, now) + end(index, SoundEnd(.finished), isOver: true)
        case .failed(let error): return end(index, SoundEnd(.failed, error), isOver: true)
        }
    }

    mutating func endAll(_ end: SoundEnd) -> [Action] {
        var actions: [Action] = []
        while !entries.isEmpty { actions += self.end(entries.count - 1, end) }
        return actions
    }

    mutating func check(now: MonotonicTime) -> [Action] {
        let overdue = entries.filter { $0.progress.deadline.map { $0 <= now } ?? false }
        return overdue.flatMap { end($0.effect.id, SoundEnd(.failed, $0.progress.failure)) ?? [] }
    }

    var nextDeadline: MonotonicTime? { entries.compactMap(\.progress.deadline).min() }

    private func index(of id: SoundID) -> Int? { entries.firstIndex { $0.effect.id == id } }

    private mutating func heard(_ index: Int, _ now: MonotonicTime) -> [Action] {
        guard entries[index].progress.heard(now) else { return [] }
        entries[index].effect.state = .playing
        return [.began(entries[index].effect)]
    }

    private mutating func end(_ index: Int, _ end: SoundEnd, isOver: Bool = false) -> [Action] {
        let entry = entries.remove(at: index)
        return (isOver ? [] : [.stop(entry.effect.id)]) + [.ended(entry.effect, end)]
    }
}
