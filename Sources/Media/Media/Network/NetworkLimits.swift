// SPDX-License-Identifier: Apache-2.0

/// Timeouts, retries and memory of a network source. Seconds and bytes.
public struct NetworkLimits: Hashable, Sendable {
    /// From opening to the first usable response, retries included. Less than the player's timeout of 30 s, so that the error
    /// names the cause.
    public var start = 29.0
    /// Timeout of a revalidation; then the cached file is played without it.
    public var check = 3.0
    /// Timeout without a byte while some are wanted; a retry follows.
    public var stall = 15.0
    /// Name lookup, connection and TLS of one attempt.
    public var connect = 10.0
    /// Retries before the media fails. A connection that has delivered for 10 s resets the count.
    public var retries = 3
    /// For a station that was received before: its server may be restarting. With the delays below this is half a minute.
    public var stationRetries = 6
    /// Delay before the first retry; it doubles each time, up to `longestRetryDelay`.
    public var retryDelay = 1.0
    public var longestRetryDelay = 8.0
    /// The longest `Retry-After` that is honoured; a longer one fails the media.
    public var longestRetryAfter = 20.0
    public var redirects = 5
    /// Bytes in memory, in addition to the first 64 KB.
    public var memory = 8 << 20
    /// A gap up to this size is read through instead of sending a new request.
    public var gap: Int64 = 256 << 10

    /// A presumed station is a file if it gets this far ahead of the reader,
    public var stationLead: Int64 = 2 << 20
    /// or if it ends with more unread bytes than this.
    public var stationTail: Int64 = 256 << 10

    public init() {}
}

/// A segment, playlist, picture or one-shot sound: never a station, whatever the response looks like.
struct NetworkPiece: Hashable {
    /// The wanted bytes of the file; nil: all.
    var range: Range<Int64>?
}
