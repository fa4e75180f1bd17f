// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The loaded items: the current one, those that follow it, a seek within the current one, and its wait for data. Reports
/// of the decode threads change an item by its generation, so that late ones have no effect.
struct LoadedTracks {
    /// A seek within the current item that is not audible yet.
    struct Seek {
        /// Seconds; the position that is shown until the seek is audible.
        var target: Double
        /// Requested while this seek was in progress; only the latest one counts.
        var followUp: DecodeStart?
    }

    /// The current item waits for data from the network.
    struct Prebuffering {
        /// Seconds that must be loaded; nil: enough for the rest to arrive in time.
        var needed: Double?
        /// The start of the wait; nil while no sound is wanted, because then it has no limit.
        var since: MonotonicTime?
        /// The byte to be read next when the wait began.
        var place: Int64
    }

    var current: LoadedTrack?
    /// The items after the current one, in order: more than one only if those before the last have failed.
    private(set) var ahead: [LoadedTrack] = []
    var seek: Seek?
    var prebuffering: Prebuffering?

    var upcoming: LoadedTrack? { ahead.first }
    var all: [LoadedTrack] { (current.map { [$0] } ?? []) + ahead }

    subscript(generation: Generation) -> LoadedTrack? { all.first { $0.generation == generation } }

    mutating func update(_ generation: Generation, _ change: (inout LoadedTrack) -> Void) {
        if var track = current, track.generation == generation {
            change(&track)
            current = track
        } else if let index = ahead.firstIndex(where: { $0.generation == generation }) {
            change(&ahead[index])
        }
    }

    /// Makes this track the current one. A seek or wait of the previous one ends.
    mutating func enter(_ track: LoadedTrack?) {
        (current, seek, prebuffering) = (track, nil, nil)
        if let upcoming, upcoming.generation == track?.generation { ahead.removeFirst() }
    }

    mutating func prepare(_ track: LoadedTrack) { ahead.append(track) }

    mutating func dropUpcoming() -> [PlayerAction] {
        defer { ahead = [] }
        return ahead.map { .unload($0.generation) }
    }

    /// Nothing is loaded any more. `current` stays, to show what it was.
    mutating func rest(at position: Double) {
        (seek, prebuffering) = (nil, nil)
        current?.startPosition = position
    }
}
