// SPDX-License-Identifier: Apache-2.0

public import Audio

/// The gains of a stream, which are multiplied. Each has its own ramp. A pause halts that of the volume, and ends the others.
public struct StreamGains: Sendable {
    var volume = StreamGainRamp(.unity)
    var balance = StreamGainRamp(.unity)
    var ducking = StreamGainRamp(.unity)
    var timer = StreamGainRamp(.unity)
    private var sampleRate = 48_000

    public init() {}

    /// Applies from `index` on. Silence precedes the frame there if `isSilent`.
    public mutating func apply(_ change: GainChange, from index: FrameCount, isSilent: Bool) {
        func moved(_ ramp: StreamGainRamp, to gains: ChannelGains, over seconds: Double) -> StreamGainRamp {
            ramp.moved(to: gains, from: index, over: seconds, sampleRate: sampleRate)
        }
        switch change {
        case .volume(let gain, let seconds): volume = moved(volume, to: ChannelGains(gain), over: seconds)
        case .balance(let gains): balance = moved(balance, to: gains, over: 0)
        case .ducking(let gain, let seconds): ducking = moved(ducking, to: ChannelGains(gain), over: seconds)
        case .timer(let gain, let seconds): timer = moved(timer, to: ChannelGains(gain), over: seconds)
        }
        if isSilent { settle(at: index) }
    }

    /// Silence precedes the frame at `index`: nothing moves there but a ramp of the volume.
    mutating func settle(at index: FrameCount) {
        if volume.isAtEndOfLine(at: index) { volume = StreamGainRamp(volume.to) }
        balance = StreamGainRamp(balance.to)
        ducking = StreamGainRamp(ducking.to)
        timer = StreamGainRamp(timer.to)
    }

    /// The gains of a stream, of this rate or `newRate`, whose index 0, after silence, corresponds to `index`.
    public func continued(from index: FrameCount, newRate: Int? = nil) -> StreamGains {
        let newRate = newRate ?? sampleRate
        var gains = self
        gains.settle(at: index)
        gains.volume = gains.volume.continued(from: index, rate: sampleRate, newRate: newRate)
        gains.sampleRate = newRate
        return gains
    }

    @_noLocks @_noAllocation
    public func product(at index: FrameCount) -> ChannelGains {
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
