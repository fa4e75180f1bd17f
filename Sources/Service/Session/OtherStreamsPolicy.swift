// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Our changes to other programs' streams, and the next ones to make. Pure.
///
/// Only our own changes are undone, and only while a stream is as we left it: a change by a user takes
/// precedence.
struct OtherStreamsPolicy: Hashable, Sendable {
    /// A change of ours, recorded on disk from before it is made until after it is undone.
    struct Entry: Hashable, Sendable, Codable {
        var server: UInt32
        var index: UInt32
        var identity: String
        /// nil: muted by us.
        var original: [UInt32]?
        var set: [UInt32]?

        var before: OtherStreamChange.Value { original.map { .volume($0) } ?? .muted(false) }
        var after: OtherStreamChange.Value { self.set.map { .volume($0) } ?? .muted(true) }
    }

    private enum Stage {
        /// Under way. The entry stays until it is saved, so that saves stay in order, and then until the sound server's answer:
        /// only then is it known whether there is something to undo.
        case saving, requested
        /// No report has shown the change yet.
        case made
        /// A report has shown it, or the entry comes from an earlier run.
        case confirmed

        var isUnderWay: Bool { self == .saving || self == .requested }
    }

    /// -20 dB in PulseAudio's cubic units.
    static let duckFactor = 0.464_158_883

    private(set) var entries: [Entry]
    /// Streams that a user restored in this activation; we do not change them again.
    private var released: Set<UInt32> = []
    /// Of each entry, by its stream's number.
    private var stages: [UInt32: Stage] = [:]

    init(entries: [Entry] = []) {
        self.entries = entries
        // Changes recorded before a crash probably took effect.
        for entry in entries { stages[entry.index] = .confirmed }
    }

    struct Step: Hashable, Sendable {
        /// Performed at once; their entries are deleted afterwards.
        var undone: [OtherStreamChange] = []
        /// Performed when the entries are saved.
        var made: [OtherStreamChange] = []
        /// The entries have changed.
        var isToBeSaved = false
    }

    /// `others`: the treatment in force; `mix` undoes everything.
    mutating func step(_ others: SessionConfiguration.Others, in otherStreams: OtherStreams) -> Step {
        var step = Step()
        let before = entries
        let streams = Dictionary(otherStreams.streams.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        if others == .mix { released = [] }
        entries.removeAll { entry in
            guard entry.server == otherStreams.server, let stream = streams[entry.index],
                stream.identity == entry.identity
            else { return true }
            guard stages[entry.index]?.isUnderWay != true else { return false }
            if stream.has(entry.after) {
                stages[entry.index] = .confirmed
            } else if stages[entry.index] == .confirmed {
                released.insert(entry.index)
                return true
            }
            guard !Self.wants(others, stream, as: entry) else { return false }
            step.undone.append(OtherStreamChange(index: entry.index, value: entry.before))
            return true
        }
        stages = stages.filter { index, _ in entries.contains { $0.index == index } }
        for stream in otherStreams.streams where !entries.contains(where: { $0.index == stream.index }) {
            guard !released.contains(stream.index),
                let entry = Self.entry(others, stream, server: otherStreams.server)
            else { continue }
            // A stream that this step restores is changed again in the next step.
            guard !step.undone.contains(where: { $0.index == stream.index }) else { continue }
            entries.append(entry)
            stages[entry.index] = .saving
            step.made.append(
                OtherStreamChange(index: entry.index, value: entry.after, expected: entry.before))
        }
        step.isToBeSaved = entries != before
        return step
    }

    /// The entries of these changes are saved. Returns the changes that are still wanted; the entries of the others are dropped.
    mutating func saved(
        _ changes: [OtherStreamChange], _ others: SessionConfiguration.Others, in otherStreams: OtherStreams?
    ) -> [OtherStreamChange] {
        changes.filter { change in
            guard stages[change.index] == .saving else { return false }
            guard let entry = entries.first(where: { $0.index == change.index }),
                let stream = otherStreams?.streams.first(where: { $0.index == change.index }),
                Self.wants(others, stream, as: entry)
            else {
                withdraw([change])
                return false
            }
            stages[change.index] = .requested
            return true
        }
    }

    /// The entries of these changes could not be saved, so the changes are not made.
    mutating func notSaved(_ changes: [OtherStreamChange]) {
        withdraw(changes.filter { stages[$0.index] == .saving })
    }

    private mutating func withdraw(_ changes: [OtherStreamChange]) {
        entries.removeAll { entry in changes.contains { $0.index == entry.index } }
        for change in changes { stages[change.index] = nil }
    }

    /// The sound server's answer. False if nobody waits for it any more.
    mutating func decided(_ change: OtherStreamChange, isMade: Bool) -> Bool {
        guard stages[change.index] == .requested else { return false }
        if isMade { stages[change.index] = .made } else { withdraw([change]) }
        return true
    }

    /// Drops the changes under way. Returns the undo of those that were requested, which cancels them while they wait.
    mutating func abandonChanges() -> [OtherStreamChange] {
        let undo = entries.filter { stages[$0.index] == .requested }
            .map { OtherStreamChange(index: $0.index, value: $0.before) }
        entries.removeAll { stages[$0.index]?.isUnderWay == true }
        stages = stages.filter { !$0.value.isUnderWay }
        return undo
    }

    /// Whether we muted it.
    func isMutedByUs(_ stream: OtherStream) -> Bool {
        entries.contains { $0.index == stream.index && $0.set == nil }
    }

    /// Leaves other streams unchanged from now on. Returns what `abandonChanges` does.
    mutating func forget() -> [OtherStreamChange] {
        defer { (entries, stages) = ([], [:]) }
        return abandonChanges()
    }

    private static func wants(_ others: SessionConfiguration.Others, _ stream: OtherStream, as entry: Entry) -> Bool {
        switch others {
        case .mix: false
        case .duck: entry.set != nil
        case .silence: entry.set == nil && !stream.isOfTheSystem
        case .silenceSpeech: entry.set == nil && stream.isSpeech
        }
    }

    private static func entry(
        _ others: SessionConfiguration.Others, _ stream: OtherStream, server: UInt32
    ) -> Entry? {
        func mute() -> Entry? {
            stream.isMuted ? nil : Entry(server: server, index: stream.index, identity: stream.identity)
        }
        switch others {
        case .mix: return nil
        case .silence: return stream.isOfTheSystem ? nil : mute()
        case .silenceSpeech: return stream.isSpeech ? mute() : nil
        case .duck:
            guard !stream.volume.isEmpty, !stream.isMuted else { return nil }
            let set = stream.volume.map { UInt32(clamping: (Double($0) * duckFactor).rounded()) }
            return set == stream.volume
                ? nil
                : Entry(
                    server: server, index: stream.index, identity: stream.identity, original: stream.volume, set: set)
        }
    }
}
