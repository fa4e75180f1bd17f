// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Glibc
internal import Kernel

/// Gains as a function of the stream index, so that frames can be rendered again with the same result.
///
/// Each gain follows a straight line to its new value, smoothed by a critically damped filter, which does not overshoot.
/// So a change has no corner, not even within another change: it starts with the present value and speed.
struct StreamGainRamp: Sendable {
    fileprivate typealias Gains = SIMD3<Double>

    /// The filter's time constant in seconds: half of a change takes 15 ms; its steps at 48 kHz are 61 dB below it.
    private static let timeConstant = 0.009

    let to: ChannelGains
    private let start: FrameCount
    /// The index at which the line reaches `to`.
    private let lineEnd: FrameCount
    /// The gains are constant from this index on.
    private let end: FrameCount
    private let alongLine: Glide
    private let behindLine: Glide

    /// Constant gains.
    init(_ gains: ChannelGains) {
        self.init(
            from: Glide.State(value: Gains(gains)), line: Gains(gains), to: gains, start: 0, length: 0, sampleRate: 1)
    }

    private init(
        from state: Glide.State, line: Gains, to: ChannelGains, start: FrameCount, length: FrameCount, sampleRate: Int
    ) {
        let time = Self.timeConstant * Double(sampleRate)
        self.to = to
        self.start = start
        lineEnd = start + length
        alongLine = Glide(
            from: state, line: line, slope: length > 0 ? (Gains(to) - line) / Double(length) : .zero, time: time)
        behindLine = Glide(from: alongLine.state(after: Double(length)), line: Gains(to), slope: .zero, time: time)
        end = behindLine.isAtRest ? .min : lineEnd + FrameCount(clamping: Glide.longest * time)
    }

    /// Moves to other gains from `index` on, along a line of this many seconds.
    func moved(
        to gains: ChannelGains, from index: FrameCount, over seconds: Double, sampleRate: Int
    ) -> StreamGainRamp {
        StreamGainRamp(
            from: state(at: index), line: line(at: index), to: gains, start: index,
            length: FrameCount(clamping: min(seconds, 86_400) * Double(sampleRate)), sampleRate: sampleRate)
    }

    /// The same movement in a stream of `newRate`, whose index 0 corresponds to `index`.
    func continued(from index: FrameCount, rate: Int, newRate: Int) -> StreamGainRamp {
        guard !isSteady(from: index) else { return StreamGainRamp(to) }
        var state = state(at: index)
        state.speed *= Double(rate) / Double(newRate)
        let rest = max(0, lineEnd - max(index, start))
        return StreamGainRamp(
            from: state, line: line(at: index), to: to, start: 0,
            length: rest * FrameCount(newRate) / FrameCount(rate), sampleRate: newRate)
    }

    @_noLocks @_noAllocation
    func gains(at index: FrameCount) -> ChannelGains {
        if isSteady(from: index) { return to }
        let value = state(at: index).value
        var gains = to
        (gains.left, gains.right, gains.other) = (Float(value.x), Float(value.y), Float(value.z))
        return gains
    }

    func isAtEndOfLine(at index: FrameCount) -> Bool { index >= lineEnd }

    @_noLocks @_noAllocation
    func isSteady(from index: FrameCount) -> Bool { index >= end }

    @_noLocks @_noAllocation
    private func state(at index: FrameCount) -> Glide.State {
        index < lineEnd
            ? alongLine.state(after: Double(max(0, index - start))) : behindLine.state(after: Double(index - lineEnd))
    }

    private func line(at index: FrameCount) -> Gains {
        index < lineEnd ? alongLine.line(after: Double(max(0, index - start))) : Gains(to)
    }
}

/// The response of a critically damped filter, from any state to a straight line. Counts frames.
private struct Glide: Sendable {
    struct State {
        var value: SIMD3<Double>
        var speed = SIMD3<Double>.zero
    }

    /// Time constants after which the movement counts as complete: -98 dB.
    static let longest = 14.0

    /// The line, delayed by the filter's two time constants.
    private let late: SIMD3<Double>
    private let slope: SIMD3<Double>
    private let offset: SIMD3<Double>
    private let drift: SIMD3<Double>
    private let time: Double

    init(from state: State, line: SIMD3<Double>, slope: SIMD3<Double>, time: Double) {
        late = line - slope * (2 * time)
        offset = state.value - late
        drift = state.speed - slope + offset / time
        self.slope = slope
        self.time = time
    }

    var isAtRest: Bool { offset == .zero && drift == .zero && slope == .zero }

    @_noLocks @_noAllocation
    func state(after frames: Double) -> State {
        let decay = Self.exponential(-frames / time)
        let rest = offset + drift * frames
        return State(value: late + slope * frames + rest * decay, speed: slope + (drift - rest / time) * decay)
    }

    func line(after frames: Double) -> SIMD3<Double> { late + slope * (frames + 2 * time) }

    /// `exp` neither locks nor allocates; the compiler cannot know that.
    @_semantics("no_performance_analysis")
    private static func exponential(_ exponent: Double) -> Double { exponent > -40 ? exp(exponent) : 0 }
}

extension SIMD3<Double> {
    fileprivate init(_ gains: ChannelGains) { self.init(Double(gains.left), Double(gains.right), Double(gains.other)) }
}
