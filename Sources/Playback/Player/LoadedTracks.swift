// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The loaded items: the current one, the one that follows it, a jump within the current one, and its wait for more to come.
/// Owns which there are. The decode threads' reports change an item by its generation, so that a late one changes nothing.
struct LoadedTracks {
    /// A jump within the current item that is not heard yet.
    struct Seek {
        /// Seconds; what the position shows until the jump is heard.
        var target: Double
        /// Asked for while this one was under way; only the latest counts.
        var followUp: DecodeStart?
    }

    /// The current item waits until more of it is at hand.
    struct Gathering {
        /// Seconds; nil: so much that all that follows comes in time.
        var needed: Double?
        /// nil while no sound is wanted: only who waits is kept waiting.
        var since: MonotonicTime?
        /// The byte that was read next when it began.
        var place: Int64
    }

    private(set) var current: LoadedTrack?
    private(set) var upcoming: LoadedTrack?
    /// Those that follow it. Each of them is loaded because all before it have failed.
    private(set) var beyond: [LoadedTrack] = []
    private(set) var seek: Seek?
    private(set) var gathering: Gathering?

    /// Behind the current one, in order.
    var ahead: [LoadedTrack] { (upcoming.map { [$0] } ?? []) + beyond }
    var all: [LoadedTrack] { (current.map { [$0] } ?? []) + ahead }

    subscript(generation: Generation) -> LoadedTrack? { all.first { $0.generation == generation } }

    mutating func update(_ generation: Generation, _ change: (inout LoadedTrack) -> Void) {
        guard var track = self[generation] else { return }
        change(&track)
        if current?.generation == generation {
            current = track
        } else if upcoming?.generation == generation {
            upcoming = track
        } else {
            beyond = beyond.map { $0.generation == generation ? track : $0 }
        }
    }

    mutating func updateCurrent(_ change: (inout LoadedTrack) -> Void) {
        if let current { update(current.generation, change) }
    }

    /// What was under way within the item that is left is over.
    mutating func enter(_ track: LoadedTrack?) {
        (current, seek, gathering) = (track, nil, nil)
        guard upcoming?.generation == track?.generation else { return }
        upcoming = beyond.isEmpty ? nil : beyond.removeFirst()
    }

    mutating func prepare(_ track: LoadedTrack) {
        if upcoming == nil { upcoming = track } else { beyond.append(track) }
    }

    mutating func dropUpcoming() -> [PlayerAction] {
        defer { (upcoming, beyond) = (nil, []) }
        return ahead.map { .unload($0.generation) }
    }

    /// Nothing is loaded any more; `current` stays only to show what it was.
    mutating func rest(at position: Double) {
        endSeek(at: position)
        gathering = nil
    }

    mutating func begin(_ seek: Seek) { self.seek = seek }

    /// `position`: where the item stays without it.
    mutating func endSeek(at position: Double? = nil) {
        seek = nil
        if let position { current?.startPosition = position }
    }

    mutating func begin(_ wait: Gathering) { gathering = wait }

    mutating func endGathering() { gathering = nil }
}
