// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Kernel
import Playback

/// The machine's clocks.
struct SystemClock: PlayerClock {
    var now: MonotonicTime { .now }

    var wallMilliseconds: Int64 { Int64(clamping: Date.now.timeIntervalSince1970 * 1_000) }
}
