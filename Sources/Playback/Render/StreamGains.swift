// SPDX-License-Identifier: Apache-2.0

public import Audio

/// The gains of a stream, which are multiplied. Each has its own ramp: a pause halts it.
public struct StreamGains: Sendable {
    public typealias Part = WritableKeyPath<StreamGains, StreamGainRamp>

    public var volume = StreamGainRamp(.unity)
    /// Mute and balance.
    public var balance = StreamGainRamp(.unity)
    /// Announcements.
    public var ducking = StreamGainRamp(.unity)
    /// Falling asleep and rising.
    public var timer = StreamGainRamp(.unity)
    private var sampleRate = 48_000

    public init() {}

    /// Moves one gain from `index` on. In silence it is set at once, except for a ramp of the volume, which waits.
    public mutating func move(
        _ part: Part, to gains: ChannelGains, over seconds: Double, from index: FrameCount, isSilent: Bool
    ) {
        let waits = part == \StreamGains.volume && seconds > 0
        self[keyPath: part] =
            isSilent && !waits
            ? StreamGainRamp(gains)
            : self[keyPath: part].moved(to: gains, from: index, over: seconds, sampleRate: sampleRate)
    }

    /// Silence precedes the next frames: only the volume may still move.
    mutating func settle() {
        balance = StreamGainRamp(balance.to)
        ducking = StreamGainRamp(ducking.to)
        timer = StreamGainRamp(timer.to)
    }

    /// The same movements in a stream whose index 0 corresponds to `index`, of this rate or `newRate`.
    public func continued(from index: FrameCount, newRate: Int? = nil) -> StreamGains {
        let newRate = newRate ?? sampleRate
        var gains = self
        gains.volume = volume.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.balance = balance.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.ducking = ducking.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.timer = timer.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.sampleRate = newRate
        return gains
    }

    @_noLocks @_noAllocation
    func product(at index: FrameCount) -> ChannelGains {
        var product = volume.gains(at: index)
        let factor = ducking.gains(at: index).other * timer.gains(at: index).other
        let sides = balance.gains(at: index)
        product.left *= sides.left * factor
        product.right *= sides.right * factor
        product.other *= sides.other * factor
        return product
    }

    @_noLocks @_noAllocation
    func isSteady(from index: FrameCount) -> Bool {
        volume.isSteady(from: index) && balance.isSteady(from: index) && ducking.isSteady(from: index)
            && timer.isSteady(from: index)
    }
}
