// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Maps bytes of a file to time, linearly between the first and last byte of audio: exact for a constant bit rate.
public struct LoadedMap {
    /// The first byte of audio.
    private let start: Int64
    private let bytesPerSecond: Double
    private let duration: Double?

    /// nil if neither duration nor bit rate is known.
    public init?(_ media: MediaDescription, _ loading: MediaLoading) {
        duration = media.durationInSeconds
        start = loading.unitsPerSecond == nil ? media.audioBytes?.lowerBound ?? 0 : 0
        let end = media.audioBytes?.upperBound ?? loading.size
        if let units = loading.unitsPerSecond {
            bytesPerSecond = units
        } else if let duration, duration > 0, let end, end > start {
            bytesPerSecond = Double(end - start) / duration
        } else if let bitrate = media.encoding.bitrate, bitrate > 0 {
            bytesPerSecond = Double(bitrate) / 8
        } else {
            return nil
        }
    }

    public func seconds(bytes: Int64) -> Double { Double(bytes) / bytesPerSecond }

    public func loaded(_ loading: MediaLoading) -> LoadedTime {
        func time(_ byte: Int64) -> Double { min(max(0, seconds(bytes: byte - start)), duration ?? .infinity) }
        var loaded = LoadedTime()
        loaded.ranges = loading.ranges.map { time($0.lowerBound)..<time($0.upperBound) }.filter { !$0.isEmpty }
        // Bytes that are loaded after the read position extend the end.
        loaded.end = time(loading.place + loading.bytesAhead)
        loaded.ahead = seconds(bytes: loading.bytesAhead)
        loaded.progress = loading.size.flatMap { size in
            let there = loading.ranges.reduce(0) { $0 + $1.count }
            return size > 0 ? min(1, Double(there) / Double(size)) : nil
        }
        loaded.bytesPerSecond = loading.bytesPerSecond
        loaded.isStalled = loading.isStalled
        return loaded
    }
}

/// The rate at which a file arrives. The first bytes may come in a burst and do not count.
struct LoadingPace {
    /// Minimum seconds of a measurement.
    private static let shortest = 0.5
    /// Maximum seconds of an initial burst.
    private static let burst = 0.25

    private var begun: MonotonicTime?
    /// The end of the burst.
    private var first: (byte: Int64, time: MonotonicTime)?
    private var end: Int64 = 0

    mutating func note(_ loading: MediaLoading, at now: MonotonicTime) {
        end = loading.place + loading.bytesAhead
        guard end > 0 else { return }
        begun = begun ?? now
        if let begun, now.seconds(since: begun) < Self.burst { first = (end, now) }
    }

    /// nil while too little is known.
    func bytesPerSecond(at now: MonotonicTime) -> Double? {
        guard let first else { return nil }
        let elapsed = now.seconds(since: first.time)
        return elapsed < Self.shortest ? nil : Double(end - first.byte) / elapsed
    }
}

/// The amounts of network media, in seconds, that must be loaded before it sounds.
public struct NetworkBuffering: Hashable, Sendable {
    /// At the start of an item.
    public var start = 1.0
    /// After an underrun: more, so that another one is unlikely.
    public var resume = 7.5
    /// After a seek; at most `start`.
    public var seek = 0.5
    /// Limit of a wait: then it sounds if `least` is loaded, and fails otherwise.
    public var limit = 30.0
    public var least = 0.5
    /// More underruns than this within `bounceWindow` fail the item.
    public var bounces = 4
    public var bounceWindow = 10.0

    public init() {}
}

/// The loaded part of the current item, in seconds of the item.
public struct LoadedTime: Hashable, Sendable {
    /// Ascending, without overlaps.
    public var ranges: [Range<Double>] = []
    /// The end of the range that can play without waiting.
    public var end = 0.0
    /// 0...1; nil while the length is unknown.
    public var progress: Double?
    /// Seconds from the decoder's position to `end`.
    public var ahead = 0.0
    public var bytesPerSecond = 0.0
    public var isStalled = false

    public init() {}
}
