// SPDX-License-Identifier: Apache-2.0

public import Playback

/// One entry of a client's list: one item, or a reference to several: a folder, a saved playlist, a library entry.
///
/// All cases but the most frequent one are boxed, as a request may have a million entries.
public enum ItemRequest: Sendable {
    /// An item with no other member.
    case uri(String)
    /// `expands`: this address's own value; nil: the request's.
    indirect case media(ItemDraft, expands: Bool?)
    case folder(String)
    /// A playlist file or feed.
    indirect case list(MediaLocator)
    case playlist(PlaylistID)
    indirect case library(CatalogueID)
    indirect case unknown(member: String, id: String)

    /// In code points.
    public static let maximumURILength = 4096

    /// The member that names it.
    var member: String {
        switch self {
        case .uri, .media: "uri"
        case .folder: "folder"
        case .list: "list"
        case .playlist: "playlist"
        case .unknown(let member, _): member
        case .library(let id):
            switch id.kind {
            case .artist: "artist"
            case .album: "album"
            case .genre: "genre"
            case .track: "track"
            }
        }
    }

    /// An address whose content decides what it is.
    var directAddress: String? {
        switch self {
        case .uri(let uri): uri
        case .media(let draft, _): draft.uri
        case .folder, .list, .playlist, .library, .unknown: nil
        }
    }
}
