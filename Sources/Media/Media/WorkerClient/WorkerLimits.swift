// SPDX-License-Identifier: Apache-2.0

/// The limits of a worker; beyond them it is ended.
public struct WorkerLimits: Hashable, Sendable {
    /// Seconds of its own for one request; waiting for the source does not count.
    public var answer = 10.0
    /// Seconds of the processor for one request, and for whatever it does unasked after it.
    public var processor = 30
    /// Seconds after which a worker that waits for the next file to be listed is ended.
    public var idle = 5.0
    /// Files that one worker lists before another takes its place.
    public var files = 200
    /// Seconds that a ready worker waits for the next item; nil: none is kept ready.
    public var spare: Double?

    public init() {}
}
