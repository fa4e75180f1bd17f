// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
internal import Synchronization

/// The web media that a player has open, by item. It gives a stream recorder access to the sources of the current item without a
/// path through the player. Any thread may call this.
public final class OpenStreams: Sendable {
    public enum Found: Sendable {
        case stream(StreamTap)
        /// HLS: many files, none of which is the item.
        case segments
    }

    /// The current item, the next one, and recent ones.
    private static let most = 8

    /// Without a source: an HLS stream.
    private let entries = Mutex<[(item: ItemID, source: Weak<HTTPSource>?)]>([])
    private let opened: @Sendable () -> Void

    /// `opened` is called for each new entry, on any thread. It must not block.
    public init(opened: @escaping @Sendable () -> Void) { self.opened = opened }

    /// The newest open stream of this item; nil without one.
    public func find(_ item: ItemID) -> Found? {
        entries.withLock { entries in
            for entry in entries.reversed() where entry.item == item {
                guard let box = entry.source else { return .segments }
                guard let source = box.value, !source.isClosed else { continue }
                return .stream(StreamTap(source, of: item))
            }
            return nil
        }
    }

    /// `source`: nil for an HLS stream.
    func note(_ source: HTTPSource?, of item: ItemID?) {
        guard let item else { return }
        entries.withLock { entries in
            entries.removeAll { $0.source.map { $0.value == nil } ?? false }
            if entries.count >= Self.most { entries.removeFirst() }
            entries.append((item, source.map { Weak($0) }))
        }
        opened()
    }
}
