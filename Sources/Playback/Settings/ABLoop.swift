// SPDX-License-Identifier: Apache-2.0

/// A part of the current item that repeats until the loop is cancelled. Seconds into the item.
public struct ABLoop: Hashable, Codable, Sendable {
    /// The minimum length in seconds: shorter loops sound like a tone.
    public static let shortest = 0.01

    public var begin: Double
    public var end: Double

    public init(begin: Double, end: Double) {
        self.begin = begin
        self.end = end
    }

    /// Throws `out-of-range` with the member. `duration`: the item's, if known exactly.
    public func check(duration: Double? = nil) throws(PlaybackError) {
        func refuse(_ member: String, _ requirement: String) -> PlaybackError {
            PlaybackError(.outOfRange, "abLoop.\(member) must be \(requirement).", member: "abLoop.\(member)")
        }
        guard begin.isFinite, begin >= 0 else { throw refuse("begin", "0 or more") }
        guard end.isFinite, end >= begin + Self.shortest else {
            throw refuse("end", "at least \(Self.shortest) s after abLoop.begin")
        }
        if let duration, end > duration { throw refuse("end", "within the item, which lasts \(duration) s") }
    }
}
