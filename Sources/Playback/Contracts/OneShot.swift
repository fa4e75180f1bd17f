// SPDX-License-Identifier: Apache-2.0

/// A sound that is heard once and as a whole: an announcement or an effect. It has an end, so it is never taken for a live
/// stream.
public struct OneShot: Hashable, Sendable {
    /// Seconds from loading to the first sound, and of silence in between. What takes longer has failed.
    public var timeout: Double
    /// Media that follow the item's own without a gap.
    public var parts: [String]

    public init(timeout: Double, parts: [String] = []) {
        self.timeout = timeout
        self.parts = parts
    }
}
