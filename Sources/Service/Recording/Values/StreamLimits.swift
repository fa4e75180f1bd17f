// SPDX-License-Identifier: Apache-2.0

/// Where the recording of a stream ends by itself; nil: nowhere.
public struct StreamLimits: Hashable, Sendable {
    /// Since it began.
    public var seconds: Double?
    /// In the file.
    public var bytes: Int64?

    public init(seconds: Double? = nil, bytes: Int64? = nil) {
        (self.seconds, self.bytes) = (seconds, bytes)
    }
}
