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
    }

    /// -20 dB in PulseAudio's cubic units.
    static let duckFactor = 0.464_158_883

    private(set) var entries: [Entry]
    /// Streams that a user restored in this activation; we do not change them again.
    private var released: Set<UInt32> = []
    /// Entries whose change the sound server has confirmed.
    private var confirmed: Set<UInt32> = []

    init(entries: [Entry] = []) {
        self.entries = entries
        // Changes recorded before a crash probably took effect.
        confirmed = Set(entries.map(\.index))
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
            let isAsLeft = Self.isAsLeft(stream, entry)
            if isAsLeft { confirmed.insert(entry.index) }
            if !isAsLeft, confirmed.contains(entry.index) {
                released.insert(entry.index)
                return true
            }
            guard !Self.wants(others, stream, as: entry) else { return false }
            step.undone.append(
                OtherStreamChange(index: entry.index, value: entry.original.map { .volume($0) } ?? .muted(false)))
            return true
        }
        confirmed.formIntersection(entries.map(\.index))
        for stream in otherStreams.streams where !entries.contains(where: { $0.index == stream.index }) {
            guard !released.contains(stream.index),
                let entry = Self.entry(others, stream, server: otherStreams.server)
            else { continue }
            // A stream that this step restores is changed again in the next step.
            guard !step.undone.contains(where: { $0.index == stream.index }) else { continue }
            entries.append(entry)
            step.made.append(
                OtherStreamChange(
                    index: stream.index, value: entry.set.map { .volume($0) } ?? .muted(true),
                    expected: entry.original.map { .volume($0) } ?? .muted(false)))
        }
        step.isToBeSaved = entries != before
        return step
    }

    /// The changes were not made.
    mutating func withdraw(_ changes: [OtherStreamChange]) {
        entries.removeAll { entry in changes.contains { $0.index == entry.index } }
    }

    /// Whether we muted it.
    func isMutedByUs(_ stream: OtherStream) -> Bool {
        entries.contains { $0.index == stream.index && $0.set == nil }
    }

    /// Leaves other streams unchanged from now on.
    mutating func forget() {
        entries = []
        confirmed = []
    }

    private static func isAsLeft(_ stream: OtherStream, _ entry: Entry) -> Bool {
        if let set = entry.set { return stream.volume == set }
        return stream.isMuted
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
