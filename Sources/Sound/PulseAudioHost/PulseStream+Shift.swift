// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

extension PulseStream {
    /// What stays in the ring behind a shift, so that the sink does not run dry on it.
    private static let spareSeconds = 0.1

    /// Lets what follows be heard `frames` earlier, from the first frame on that the sink has not taken; later when
    /// negative. Does nothing unless sound is on its way that can be shifted.
    func shift(by frames: FrameCount) {
        guard phase == .running, isSounding, flushing == nil, !isDraining, !context.pointee.renderer.holdsFrames
        else { return }
        context.pointee.renderer.fadeOut(from: safeIndex(.now), limit: .max)
        context.pointee.rewrite()
        context.pointee.renderer.shift(by: frames, spare: ring.format.frames(Self.spareSeconds))
        context.pointee.fill()
        tick()
    }
}
