// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// A sink that has frames to play and does not: a sound server that is frozen, a device that has stopped taking frames.
extension PlayerCore {
    /// How long a started sink may stand before its stream counts as lost.
    static let standingLimit = 5.0
    /// How long a source may leave the sink without frames before its item fails.
    static let sourceLimit = 30.0
    /// How often the clock is read while the sink stands.
    static let standingPoll = 0.05

    /// Seconds of the current item, and of what the effects make of it, that are written and not heard.
    var unheardRest: Double {
        (current?.decayEnd ?? current?.writtenEnd).flatMap { stream.seconds(to: $0) } ?? 0
    }

    mutating func watchSink() {
        stream.watch(hasRest: unheardRest > 0, isSuspended: output.isSuspended, now)
    }

    /// Without frames since `since`: the source has its time, then the item fails. Frames that came too late to be played
    /// are the sink's to play, and it has its own time for them.
    mutating func checkSource(drySince since: MonotonicTime) {
        guard stream.stalledSince == nil, gathering == nil, !output.isSuspended, let feeding = current,
            case .feeding = feeding.stage, isOver(since, Self.sourceLimit)
        else { return }
        if stream.hasFrames {
            stream.stall(now)
        } else {
            let message = "The media gave no sound for \(Int(Self.sourceLimit)) s."
            current?.stage = .failed(PlaybackError(.timedOut, message, itemID: feeding.item.id), end: nil)
        }
    }
}
