// SPDX-License-Identifier: Apache-2.0

import Audio
import Testing

struct DenormalGuardTests {
    /// All supported processors have such a mode.
    @Test func denormalsAreZeroUntilItLeaves() {
        let tiny: [Float] = [Float.leastNormalMagnitude]
        let mode = DenormalGuard.enter()
        let flushed = tiny.map { $0 * 0.5 }
        mode.leave()
        let kept = tiny.map { $0 * 0.5 }
        #expect(flushed == [0])
        #expect(kept[0] > 0)
    }
}
