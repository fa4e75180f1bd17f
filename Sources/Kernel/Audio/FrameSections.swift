// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Consecutive frames of one track.
public struct FrameSection: BitwiseCopyable, Hashable, Sendable {
    /// Different from the neighbours' numbers.
    public var number: UInt64
    /// Index after its last frame; `.max` for the latest section.
    public var end: FrameCount
    public var loudness: TrackLoudness?
    /// Whether its neighbours belong to the same album.
    public var isInAlbum: Bool
}

/// The loudness of the tracks in a ring: a table of the latest sections. The producer writes a section before its frames; the
/// consumer reads without a lock.
///
/// Sixteen suffice: a ring with its retained frames holds at most four tracks of one second, and the frames of a cut section
/// are skipped.
/// `@unchecked Sendable` because all words are atomics, whose memory the ring frees.
struct FrameSections: @unchecked Sendable {
    private static var capacity: UInt64 {
        @_noLocks @_noAllocation get { 16 }
    }
    private static var wordsOfSlot: Int {
        @_noLocks @_noAllocation get { 6 }
    }

    /// The number of the latest section, followed by the slots.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        let size = 1 + Int(Self.capacity) * Self.wordsOfSlot
        words = .allocate(capacity: size)
        for index in 0..<size { (words + index).initialize(to: Atomic(0)) }
    }

    func deallocate() { words.deallocate() }

    /// The frames from `start` on belong to another track. Producer's side, one call at a time, before the first of these
    /// frames is written.
    func begin(at start: FrameCount, _ loudness: TrackLoudness?, isInAlbum: Bool) {
        var number = words[0].load(ordering: .relaxed)
        let last = section(at: .max)
        if last.loudness == loudness, last.isInAlbum == isInAlbum { return }
        // The next track replaces a track without frames.
        let replaces = number > 0 && slot(number)[0].load(ordering: .relaxed) == UInt64(start)
        if !replaces { number += 1 }
        let slot = slot(number)
        slot[0].store(UInt64(start), ordering: .relaxed)
        slot[1].store((loudness == nil ? 0 : 1) | (isInAlbum ? 2 : 0), ordering: .relaxed)
        let values = [loudness?.trackGain, loudness?.trackPeak, loudness?.albumGain, loudness?.albumPeak]
        for (index, value) in values.enumerated() {
            slot[2 + index].store((value ?? .nan).bitPattern, ordering: .relaxed)
        }
        words[0].store(number, ordering: .releasing)
    }

    /// The section of a written frame.
    @_noLocks @_noAllocation
    func section(at index: FrameCount) -> FrameSection {
        let latest = words[0].load(ordering: .acquiring)
        var end = FrameCount.max
        var number = latest
        while number > 0, number + Self.capacity > latest {
            let slot = slot(number)
            let start = FrameCount(slot[0].load(ordering: .relaxed))
            if start <= index {
                let flags = slot[1].load(ordering: .relaxed)
                return FrameSection(
                    number: number, end: end, loudness: flags & 1 == 0 ? nil : loudness(slot),
                    isInAlbum: flags & 2 != 0)
            }
            end = start
            number -= 1
        }
        return FrameSection(number: 0, end: end, loudness: nil, isInAlbum: false)
    }

    @_noLocks @_noAllocation
    private func loudness(_ slot: UnsafeMutablePointer<Atomic<UInt64>>) -> TrackLoudness {
        TrackLoudness(
            trackGain: value(slot[2]), trackPeak: value(slot[3]), albumGain: value(slot[4]), albumPeak: value(slot[5]))
    }

    @_noLocks @_noAllocation
    private func value(_ word: borrowing Atomic<UInt64>) -> Double? {
        let value = Double(bitPattern: word.load(ordering: .relaxed))
        return value.isNaN ? nil : value
    }

    @_noLocks @_noAllocation
    private func slot(_ number: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + (1 + Int(number % Self.capacity) * Self.wordsOfSlot)
    }
}
