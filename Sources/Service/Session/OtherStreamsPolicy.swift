// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Our changes to other programs' streams, and the next ones to make. Pure.
///
/// Only our own changes are undone, and only while a stream is as we left it: a change by a user takes
/// precedence.
struct OtherStreamsPolicy: Hashable, Sendable {
    /// A change of ours, recorded on disk from before it is made until its undo is requested.
    struct Entry: Hashable, Sendable, Codable {
        var server: UInt32
        var index: UInt32
        var identity: String
        /// nil: muted by us.
        var original: [UInt32]?
        var set: [UInt32]?

        fileprivate var isMute: Bool { self.set == nil }
        var before: OtherStreamChange.Value { original.map { .volume($0) } ?? .muted(false) }
        var after: OtherStreamChange.Value { self.set.map { .volume($0) } ?? .muted(true) }
    }

    /// A change of ours, and how far it is.
    private struct Change: Hashable, Sendable {
        enum Stage {
            /// The entry is being saved, or the sound server has not answered. The change is kept until the answer, which shows
            /// whether there is something to undo.
            case saving, requested
            /// No report has shown the change yet.
            case made
            /// A report has shown the change, or its entry comes from an earlier run.
            case confirmed
            /// A user has restored the stream. It is not changed again in this activation.
            case released
            /// No longer ours: its undo is requested, or the stream stays as it is. A stream that still shows the change is not
            /// muted or ducked again.
            case left
        }

        let entry: Entry
        var stage: Stage

        var isUnderWay: Bool { stage == .saving || stage == .requested }
        /// On disk.
        var isRecorded: Bool { stage != .released && stage != .left }
        var request: OtherStreamChange {
            OtherStreamChange(index: entry.index, value: entry.after, expected: entry.before)
        }
        var undo: OtherStreamChange { OtherStreamChange(index: entry.index, value: entry.before) }

        /// Muting and ducking do not depend on each other.
        func isInTheWay(of new: Entry) -> Bool { stage != .left || entry.isMute == new.isMute }
    }

    /// -20 dB in PulseAudio's cubic units.
    static let duckFactor = 0.464_158_883

    private var changes: [Change]

    init(entries: [Entry] = []) {
        // Changes recorded before a crash probably took effect.
        changes = entries.map { Change(entry: $0, stage: .confirmed) }
    }

    /// To be on disk.
    var entries: [Entry] { changes.filter(\.isRecorded).map(\.entry) }

    struct Step: Hashable, Sendable {
        /// Requested at once; their entries are deleted.
        var undos: [OtherStreamChange] = []
        /// Requested when the entries are saved.
        var changes: [OtherStreamChange] = []
    }

    /// `others`: the treatment in force; `mix` undoes everything.
    mutating func step(_ others: SessionConfiguration.Others, in otherStreams: OtherStreams) -> Step {
        var step = Step()
        var streams = Dictionary(otherStreams.streams.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        let known = changes
        changes = []
        for var change in known {
            guard change.entry.server == otherStreams.server, let stream = streams[change.entry.index],
                stream.identity == change.entry.identity
            else { continue }
            let isShown = stream.has(change.entry.after)
            switch change.stage {
            case .made where isShown: change.stage = .confirmed
            case .confirmed where !isShown: change.stage = .released
            // A report may show a duck later, so it is kept until the next step that wants a change.
            case .left where !isShown && (change.entry.isMute || others != .mix): continue
            case .saving, .requested, .made, .confirmed, .released, .left: break
            }
            if change.isRecorded, !change.isUnderWay, !Self.wants(others, stream, as: change.entry) {
                change.stage = .left
                step.undos.append(change.undo)
                // A new change begins from there: a report need not come in between.
                streams[stream.index]?.set(change.entry.before)
            }
            if change.stage != .released || others != .mix { changes.append(change) }
        }
        for stream in otherStreams.streams.compactMap({ streams[$0.index] }) {
            guard let entry = Self.entry(others, stream, server: otherStreams.server),
                !changes.contains(where: { $0.entry.index == stream.index && $0.isInTheWay(of: entry) })
            else { continue }
            let change = Change(entry: entry, stage: .saving)
            changes.append(change)
            step.changes.append(change.request)
        }
        return step
    }

    /// The entries of these changes are saved. Returns the changes to request. Drops those that are no longer wanted.
    mutating func saved(
        _ saved: [OtherStreamChange], _ others: SessionConfiguration.Others, in otherStreams: OtherStreams?
    ) -> [OtherStreamChange] {
        var due: [OtherStreamChange] = []
        for change in saved {
            guard let place = place(of: change, .saving) else { continue }
            let stream = otherStreams?.streams.first { $0.index == change.index }
            if let stream, Self.wants(others, stream, as: changes[place].entry) {
                changes[place].stage = .requested
                due.append(change)
            } else {
                changes.remove(at: place)
            }
        }
        return due
    }

    /// The entries of these changes could not be saved, so the changes are not made.
    mutating func notSaved(_ unsaved: [OtherStreamChange]) {
        for change in unsaved {
            if let place = place(of: change, .saving) { changes.remove(at: place) }
        }
    }

    /// The sound server's answer. False if the change was dropped before.
    mutating func decided(_ change: OtherStreamChange, isMade: Bool) -> Bool {
        guard let place = place(of: change, .requested) else { return false }
        if isMade { changes[place].stage = .made } else { changes.remove(at: place) }
        return true
    }

    private func place(of change: OtherStreamChange, _ stage: Change.Stage) -> Int? {
        changes.firstIndex { $0.request == change && $0.stage == stage }
    }

    /// The streams are unknown. The next report shows which changes took effect.
    mutating func streamsLost() {
        for place in changes.indices where changes[place].stage == .made { changes[place].stage = .confirmed }
    }

    /// Drops the changes under way. Returns an undo for each one that was requested; it cancels a change that still waits.
    mutating func abandonChanges() -> [OtherStreamChange] {
        let undos = changes.filter { $0.stage == .requested }.map(\.undo)
        changes.removeAll(where: \.isUnderWay)
        return undos
    }

    /// Leaves other streams as they are: a muted one stays silent, and a ducked one is not ducked again. Returns the undos of the
    /// changes that were requested. Those that are being saved are kept: the answer drops them.
    mutating func forget() -> [OtherStreamChange] {
        let saving = changes.filter { $0.stage == .saving }
        let undos = abandonChanges()
        changes.removeAll { $0.isRecorded && $0.entry.isMute }
        for place in changes.indices where changes[place].isRecorded { changes[place].stage = .left }
        changes += saving
        return undos
    }

    func isMutedByUs(_ stream: OtherStream) -> Bool {
        changes.contains { $0.stage != .released && $0.entry.index == stream.index && $0.entry.isMute }
    }

    private static func wants(_ others: SessionConfiguration.Others, _ stream: OtherStream, as entry: Entry) -> Bool {
        switch others {
        case .mix: false
        case .duck: !entry.isMute
        case .silence: entry.isMute && !stream.isOfTheSystem
        case .silenceSpeech: entry.isMute && stream.isSpeech
        }
    }

    /// nil for a stream that is muted, or is not to be changed.
    private static func entry(
        _ others: SessionConfiguration.Others, _ stream: OtherStream, server: UInt32
    ) -> Entry? {
        var entry = Entry(server: server, index: stream.index, identity: stream.identity)
        if others == .duck {
            entry.original = stream.volume
            entry.set = stream.volume.map { UInt32(clamping: (Double($0) * duckFactor).rounded()) }
        }
        return !stream.isMuted && wants(others, stream, as: entry) && entry.before != entry.after ? entry : nil
    }
}
