// SPDX-License-Identifier: Apache-2.0

/// How long and how often a network source tries, and how much it keeps. Seconds and bytes.
public struct NetworkLimits: Hashable, Sendable {
    /// From opening to the first usable answer, all tries together. Less than the 30 s that the player waits for any media,
    /// so that the cause is known.
    public var start = 29.0
    /// For a server to confirm that what is kept whole is still what it has; then that is played unasked.
    public var check = 3.0
    /// Without a byte, while some are wanted: the connection is given up and tried again.
    public var stall = 15.0
    /// For name, connection and TLS of one try.
    public var connect = 10.0
    /// Tries after a failure before the media has failed. A connection that has delivered for 10 s clears the count.
    public var retries = 3
    /// Before the first of these; each further one waits twice as long.
    public var retryDelay = 1.0
    /// The most that a server's `Retry-After` is waited for.
    public var longestRetryAfter = 20.0
    public var redirects = 5
    /// Bytes held, besides the first 64 KB.
    public var memory = 8 << 20
    /// Missing bytes that are read through rather than asked anew for.
    public var gap: Int64 = 256 << 10

    /// What may be a station is none when it is so many bytes ahead of what is read,
    public var stationLead: Int64 = 2 << 20
    /// or ends, as it should, with more than so many that were not read.
    public var stationTail: Int64 = 256 << 10

    public init() {}
}

/// A segment of a stream, a picture, or a sound that is heard once: never a station, whatever its answer looks like.
struct NetworkPiece: Hashable {
    /// Of what the address stands for; nil: all of it.
    var range: Range<Int64>?
}
