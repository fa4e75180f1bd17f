// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A number of frames, or a frame's index. A frame is one sample for every channel.
public typealias FrameCount = Int64

/// Tonearm's PCM format: float32, interleaved, full scale at -1...1.
public struct AudioFormat: Hashable, Sendable {
    /// Frames per second, 8,000...192,000.
    public var sampleRate: Int
    public var layout: ChannelLayout

    public var channelCount: Int { layout.positions.count }

    public init(sampleRate: Int, layout: ChannelLayout) {
        self.sampleRate = sampleRate
        self.layout = layout
    }

    public func seconds(_ frames: FrameCount) -> Double { Double(frames) / Double(sampleRate) }

    /// More than a thousand years, but small enough that sums of a few frame counts do not overflow.
    private static let longest = 0x1p53

    /// The frame nearest to a time in seconds, clamped to ±2^53.
    public func frames(_ seconds: Double) -> FrameCount {
        FrameCount(clamping: min(max((seconds * Double(sampleRate)).rounded(), -Self.longest), Self.longest))
    }
}

public enum ChannelPosition: UInt8, Hashable, Sendable {
    case mono, frontLeft, frontRight, frontCenter, lowFrequency
    case rearLeft, rearRight, rearCenter, sideLeft, sideRight, auxiliary
}

/// The position of each interleaved channel, in the order of the samples; 1...8 channels.
public struct ChannelLayout: Hashable, Sendable {
    public let positions: [ChannelPosition]

    public init(positions: [ChannelPosition]) {
        precondition((1...8).contains(positions.count))
        self.positions = positions
    }

    public static let mono = ChannelLayout(positions: [.mono])
    public static let stereo = ChannelLayout(positions: [.frontLeft, .frontRight])
}
