// SPDX-License-Identifier: Apache-2.0

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
