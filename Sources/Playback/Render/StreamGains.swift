// SPDX-License-Identifier: Apache-2.0

public import Audio

/// The gains of a stream, which are multiplied. Each has its own ramp, which moves with the sound and halts in silence.
public struct StreamGains: Sendable {
    public typealias Part = WritableKeyPath<StreamGains, StreamGainRamp>

    public var volume = StreamGainRamp(.unity)
    /// Mute and balance.
    public var balance = StreamGainRamp(.unity)
    /// Announcements and timers.
    public var ducking = StreamGainRamp(.unity)
    private var sampleRate = 48_000

    public init() {}

    /// Moves one gain from `index` on. Silence needs no smoothing: only a longer ramp of the volume waits for its end.
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
    }

    /// The same movements in a stream whose index 0 corresponds to `index`, of this rate or `newRate`.
    public func continued(from index: FrameCount, newRate: Int? = nil) -> StreamGains {
        let newRate = newRate ?? sampleRate
        var gains = self
        gains.volume = volume.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.balance = balance.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.ducking = ducking.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.sampleRate = newRate
        return gains
    }

    @_noLocks @_noAllocation
    func product(at index: FrameCount) -> ChannelGains {
        var product = volume.gains(at: index)
        let (second, third) = (balance.gains(at: index), ducking.gains(at: index))
        product.left *= second.left * third.left
        product.right *= second.right * third.right
        product.other *= second.other * third.other
        return product
    }

    @_noLocks @_noAllocation
    func isSteady(from index: FrameCount) -> Bool {
        volume.isSteady(from: index) && balance.isSteady(from: index) && ducking.isSteady(from: index)
    }
}
