// SPDX-License-Identifier: Apache-2.0

/// A part of the queue at one revision.
public struct QueueWindow: Sendable {
    public var revision: QueueRevision
    /// Of the whole queue.
    public var length: Int
    public var currentIndex: Int?
    /// Index of the first of `items`.
    public var offset: Int
    public var items: [QueueItem]

    public init(revision: QueueRevision, length: Int, currentIndex: Int?, offset: Int, items: [QueueItem]) {
        self.revision = revision
        self.length = length
        self.currentIndex = currentIndex
        self.offset = offset
        self.items = items
    }
}
