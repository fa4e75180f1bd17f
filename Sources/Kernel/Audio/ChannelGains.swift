// SPDX-License-Identifier: Apache-2.0

/// Linear amplitude factors for the left, right and all other channels.
public struct ChannelGains: Hashable, Sendable {
    public var left: Float
    public var right: Float
    public var other: Float

    public init(left: Float, right: Float, other: Float) {
        self.left = left
        self.right = right
        self.other = other
    }

    /// The same gain for all channels.
    public init(_ gain: Double) { self.init(left: Float(gain), right: Float(gain), other: Float(gain)) }

    public static let unity = ChannelGains(left: 1, right: 1, other: 1)
    public static let silence = ChannelGains(left: 0, right: 0, other: 0)

    /// Volume is an amplitude (0.5 = -6.02 dB). Balance -1...1 attenuates the opposite side linearly down to silence.
    public init(volume: Double, muted: Bool, balance: Double) {
        let gain = muted ? 0 : Float(volume)
        self.init(
            left: gain * Float(min(1, 1 - balance)),
            right: gain * Float(min(1, 1 + balance)),
            other: gain)
    }
}
