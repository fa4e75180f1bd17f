// SPDX-License-Identifier: Apache-2.0

/// A named part of an item. Times are in seconds.
public struct Chapter: Hashable, Sendable {
    public var start: Double
    public var end: Double
    public var title: String

    public init(start: Double, end: Double, title: String) {
        self.start = start
        self.end = end
        self.title = title
    }
}
