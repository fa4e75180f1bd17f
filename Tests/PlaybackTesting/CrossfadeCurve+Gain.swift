// SPDX-License-Identifier: Apache-2.0

public import Audio

extension CrossfadeCurve {
    /// The factor of one frame, 0...1.
    public func gain(at index: FrameCount) -> Float {
        var sample: Float = 1
        apply(to: &sample, at: index, frames: 1, channels: 1)
        return sample
    }
}
