// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
internal import Synchronization

/// Which media one player has open from the web, by the items that they are. It exists so that somebody can take the
/// bytes of the item that plays, without a way from the player to its sources. Usable from any thread.
public final class OpenStreams: Sendable {
    public enum Found: Sendable {
        case stream(StreamTap)
        /// HLS: many files, of which none is the item.
        case segments
    }

    private struct Entry {
        var item: ItemID
        var media: Media
    }

    private enum Media {
        case stream(Weak<HTTPSource>)
        case segments

        /// Nobody has it any more.
        var isGone: Bool {
            switch self {
            case .stream(let box): box.value == nil
            case .segments: false
            }
        }
    }

    /// The current item and the next one, and those of a moment ago.
    private static let most = 8

    private let entries = Mutex<[Entry]>([])
    private let opened: @Sendable () -> Void

    /// `opened` is called when there is one more, from any thread; it must not block.
    public init(opened: @escaping @Sendable () -> Void = {}) { self.opened = opened }

    /// The newest one that is open of this item; nil when there is none.
    public func find(_ item: ItemID) -> Found? {
        entries.withLock { entries in
            for entry in entries.reversed() where entry.item == item {
                switch entry.media {
                case .segments: return .segments
                case .stream(let box):
                    guard let source = box.value, !source.isClosed else { continue }
                    return .stream(StreamTap(source, of: item))
                }
            }
            return nil
        }
    }

    /// `source`: nil for an HLS stream.
    func note(_ source: HTTPSource?, of item: ItemID?) {
        guard let item else { return }
        let media = source.map { Media.stream(Weak($0)) } ?? .segments
        entries.withLock { entries in
            entries.removeAll(where: \.media.isGone)
            if entries.count >= Self.most { entries.removeFirst() }
            entries.append(Entry(item: item, media: media))
        }
        opened()
    }
}
