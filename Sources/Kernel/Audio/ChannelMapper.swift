// SPDX-License-Identifier: Apache-2.0

/// Maps frames of one layout to another by a fixed matrix. For decode threads, not for the render thread.
///
/// Mono goes to both front channels at unity; stereo becomes mono as the average; surround is folded into the front by ITU-R
/// BS.775 (centre and surrounds at -3 dB, no LFE) and scaled down so that it cannot clip. If the output lacks a surround pair,
/// that pair goes to the other one. Output channels without an input are silent.
public struct ChannelMapper: Sendable {
    public let input: ChannelLayout
    public let output: ChannelLayout
    /// The caller can use its input unchanged.
    public let isIdentity: Bool
    /// One row per output channel, one column per input channel.
    private let matrix: [Float]

    public init(from input: ChannelLayout, to output: ChannelLayout) {
        self.input = input
        self.output = output
        isIdentity = input == output
        let (rows, columns) = (output.positions.count, input.positions.count)
        var matrix = [Float](repeating: 0, count: rows * columns)
        for (column, position) in input.positions.enumerated() {
            for (target, gain) in Self.targets(of: position, in: output, from: input) {
                for row in 0..<rows where output.positions[row] == target { matrix[row * columns + column] += gain }
            }
        }
        if matrix.allSatisfy({ $0 == 0 }) {
            // Unrelated positions (auxiliary channels, ...) map by order, so that something is heard.
            for channel in 0..<min(rows, columns) { matrix[channel * columns + channel] = 1 }
        }
        let loudest = (0..<rows).map { row in matrix[row * columns..<(row + 1) * columns].reduce(0, +) }.max() ?? 0
        if loudest > 1 { matrix = matrix.map { $0 / loudest } }
        self.matrix = matrix
    }

    /// Maps interleaved frames; `source` and `target` must not overlap.
    public func map(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, frames: Int) {
        let (rows, columns) = (output.positions.count, input.positions.count)
        if isIdentity { return target.update(from: source, count: frames * columns) }
        matrix.withUnsafeBufferPointer { matrix in
            for frame in 0..<frames {
                for row in 0..<rows {
                    var sum: Float = 0
                    for column in 0..<columns {
                        sum += matrix[row * columns + column] * source[frame * columns + column]
                    }
                    target[frame * rows + row] = sum
                }
            }
        }
    }

    private typealias Targets = [(ChannelPosition, Float)]

    /// The output channels of one input channel, before the normalisation.
    private static func targets(
        of position: ChannelPosition, in output: ChannelLayout, from input: ChannelLayout
    ) -> Targets {
        let has = Set(output.positions)
        if has.contains(position) { return [(position, 1)] }
        let minus3dB = Float(0.5).squareRoot()
        let front: Targets
        switch position {
        case .mono:
            return has.contains(.frontLeft) ? [(.frontLeft, 1), (.frontRight, 1)] : [(.frontCenter, 1)]
        case .lowFrequency, .auxiliary: return []
        case .frontLeft: front = [(.frontLeft, 1)]
        case .frontRight: front = [(.frontRight, 1)]
        case .frontCenter: front = [(.frontLeft, minus3dB), (.frontRight, minus3dB)]
        case .rearCenter:
            for pair in [[ChannelPosition.rearLeft, .rearRight], [.sideLeft, .sideRight]] where has.isSuperset(of: pair)
            {
                return pair.map { ($0, minus3dB) }
            }
            front = [(.frontLeft, 0.5), (.frontRight, 0.5)]
        case .rearLeft, .sideLeft, .rearRight, .sideRight:
            if let twin = twins[position], has.contains(twin) {
                return [(twin, input.positions.contains(twin) ? minus3dB : 1)]
            }
            front = [(position == .rearLeft || position == .sideLeft ? .frontLeft : .frontRight, minus3dB)]
        }
        if has.contains(.frontLeft), has.contains(.frontRight) { return front }
        let sum = front.reduce(0) { $0 + $1.1 }
        return has.contains(.mono) ? [(.mono, sum)] : [(.frontCenter, sum)]
    }

    /// Rear and side channels replace each other in layouts with one surround pair.
    private static let twins: [ChannelPosition: ChannelPosition] = [
        .rearLeft: .sideLeft, .rearRight: .sideRight, .sideLeft: .rearLeft, .sideRight: .rearRight,
    ]
}
