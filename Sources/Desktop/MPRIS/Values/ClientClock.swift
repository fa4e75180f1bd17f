// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Where a client believes the music to be: it draws the last position that it received on at `Rate` while `Playing`. A
/// `Seeked` is due when that is wrong, and only then.
struct ClientClock: Equatable {
    /// Seconds by which a client may be wrong.
    static let tolerance = 0.05

    private var position = 0.0
    private var rate = 0.0
    private var at = MonotonicTime(nanoseconds: 0)

    init() {}

    init(position: Double, rate: Double, at: MonotonicTime) {
        self.position = position
        self.rate = rate
        self.at = at
    }

    func position(at time: MonotonicTime) -> Double { position + max(0, time.seconds(since: at)) * rate }

    /// The client hears of a new rate (0 when it does not play) and goes on from where it believes to be.
    mutating func setRate(_ rate: Double, at time: MonotonicTime) {
        guard rate != self.rate else { return }
        position = position(at: time)
        self.rate = rate
        at = time
    }
}
