// SPDX-License-Identifier: Apache-2.0

import Glibc
import Playback
import Kernel

/// The machine's clocks.
struct SystemClock: PlayerClock {
    var now: MonotonicTime { .now }

    var wallMilliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
