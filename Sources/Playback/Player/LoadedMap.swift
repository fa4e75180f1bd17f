// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Bytes of a media as its time: linear between the audio's first and last byte, which is exact for a constant bit rate.
public struct LoadedMap {
    /// Of the audio; the end is nil while unknown.
    private let start: Int64
    private let bytesPerSecond: Double
    private let duration: Double?

    /// nil when nothing is known to reckon with.
    public init?(_ media: MediaDescription, _ loading: MediaLoading) {
        if let units = loading.unitsPerSecond {
            (start, bytesPerSecond) = (0, units)
            duration = media.duration.map { media.format.seconds($0) }
            return
        }
        let size = loading.size
        start = media.audioBytes?.lowerBound ?? 0
        let duration = media.duration.map { media.format.seconds($0) }
        let end = media.audioBytes?.upperBound ?? size
        if let duration, duration > 0, let end, end > start {
            bytesPerSecond = Double(end - start) / duration
        } else if let bitrate = media.encoding.bitrate, bitrate > 0 {
            bytesPerSecond = Double(bitrate) / 8
        } else {
            return nil
        }
        self.duration = duration
    }

    public func seconds(bytes: Int64) -> Double { Double(bytes) / bytesPerSecond }

    public func loaded(_ loading: MediaLoading) -> LoadedTime {
        func time(_ byte: Int64) -> Double { min(max(0, seconds(bytes: byte - start)), duration ?? .infinity) }
        var loaded = LoadedTime()
        loaded.ranges = loading.ranges.map { time($0.lowerBound)..<time($0.upperBound) }.filter { !$0.isEmpty }
        // All read ahead of what is loaded is at its end.
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

/// How fast a media has come behind its first bytes, which may have come in one burst and do not count.
struct LoadingPace {
    /// Seconds. A shorter time is too little to measure the pace.
    private static let shortest = 0.5
    /// Seconds that a burst at the beginning may take.
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

/// How much of media that comes over a network must be at hand before it sounds. Seconds.
public struct NetworkBuffering: Hashable, Sendable {
    /// When an item begins.
    public var start = 1.0
    /// After it had run dry: more, so that it does not run dry again at once.
    public var resume = 7.5
    /// After a seek; at most `start`.
    public var seek = 0.5
    /// Waiting longer than this ends: with sound if `least` is there, else with an error.
    public var limit = 30.0
    public var least = 0.5
    /// Running dry more often than this within `bounceWindow` fails the item.
    public var bounces = 4
    public var bounceWindow = 10.0

    public init() {}
}

/// The loaded part of the current item, in its own time.
public struct LoadedTime: Hashable, Sendable {
    /// Seconds, in order, apart from each other.
    public var ranges: [Range<Double>] = []
    /// Up to which it can play without waiting.
    public var end = 0.0
    /// 0...1; nil while the length is unknown.
    public var progress: Double?
    /// Seconds between what is decoded and `end`.
    public var ahead = 0.0
    public var bytesPerSecond = 0.0
    public var isStalled = false

    public init() {}
}
