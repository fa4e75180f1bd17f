// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback

/// Derives from the audible index when a stream's sound starts and ends, each reported once.
struct SoundWatch {
    enum Change {
        case started
        /// No frames follow yet, or silence preceded those that do.
        case ended
    }

    /// Whether the sink has played our frames.
    var isSounding = false
    /// Start of the last segment that was reported as audible.
    private var announced: FrameCount = -1
    /// End of the last frames that were reported as over. Frames that are added to their segment are reported anew.
    private var passed: FrameCount = -1
    /// The latest audible index: an update of the clock may step back behind a reported pause.
    private var lastHeard: FrameCount = 0

    /// `index`: the audible one now.
    mutating func advance(to index: FrameCount, _ map: SegmentMap) -> [Change] {
        var changes: [Change] = []
        let place = map.place(at: index)
        let hasPassed = !place.isInside && place.boundary == nil && map.last.frames > 0
        // The sink ran dry and went on since the last call.
        if isSounding, map.hasSilence(from: lastHeard, to: index) {
            isSounding = false
            changes.append(.ended)
        }
        lastHeard = max(lastHeard, index)
        let isNew = announced < map.last.start || (!isSounding && (place.isInside || passed < map.last.end))
        if place.isInside || hasPassed, isNew {
            announced = max(announced, map.last.start)
            isSounding = true
            changes.append(.started)
        }
        if !place.isInside, isSounding {
            isSounding = false
            passed = map.last.end
            changes.append(.ended)
        }
        return changes
    }
}
