// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Access to media apart from playback. It exists so that the verbs do not depend on file systems and decoders. All
/// members may block; the API's background threads call them concurrently: media, lists, pictures and waveforms have a
/// few threads each, and a thread that hangs is replaced. Cancelled work ends early where possible, with any error.
public protocol MediaAccess: Sendable {
    /// Opens the media and reads its description, without playing it.
    func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> MediaDescription
    /// The entries of a folder in natural order; "" is the top.
    func list(folder path: String) throws(MediaError) -> MusicListing
    /// All media in a folder and its subfolders, in the order of `list`; at most `limit`.
    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent
    /// The kind of an address, judged by its spelling. Throws for an address that can never be played. Does not block.
    func address(_ uri: String) throws(MediaError) -> MediaAddress
    /// Whether a path in the music folders is known to be a file without reading the disk. Does not block.
    func isFileAtHand(_ uri: String) -> Bool
    /// Looks up paths in the music folders, and returns folders and missing files by index. Files are left out, and so
    /// are paths that were not examined within this number of seconds.
    func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace]
    /// The server of a network address.
    func server(of uri: String) -> String
    /// The media of a playlist file or feed, with those of nested lists, in order; at most `limit`. If the address is
    /// not a list, that is an error when `isGiven`; otherwise it counts as media, unless its first bytes show another
    /// kind. May wait for a server, for `patience` seconds; nil: for the time limit of lists.
    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent
    /// The picture in the item's folder; nil if there is none.
    func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]?
    /// The picture at a web address. May wait for a server, for 10 s.
    func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8]
    /// Lyrics from a file of the same name beside the media, else from its tags; nil if there are none.
    func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics?
}

/// The kind of an address, judged by its spelling.
public struct MediaAddress: Hashable, Sendable {
    public enum Name: Sendable {
        /// Named like an audio file.
        case media
        /// Named like a playlist file.
        case list
        /// Unknown.
        case other
    }

    public var name: Name
    public var isNetwork: Bool

    public init(name: Name, isNetwork: Bool = false) {
        self.name = name
        self.isNetwork = isNetwork
    }
}

/// A path in the music folders that is not a file.
public enum MediaPlace: Sendable {
    case folder
    /// Missing, or not allowed.
    case unusable(MediaError)
}

/// Lyrics as found.
public struct MediaLyrics: Hashable, Sendable {
    public enum Source: String, Sendable { case file, tag }

    public var source: Source
    public var text: String

    public init(source: Source, text: String) {
        self.source = source
        self.text = text
    }
}

/// The entries of a playlist file or feed.
public struct ListContent: Hashable, Sendable {
    public var items: [ItemDraft]
    /// The list has more entries.
    public var isTruncated: Bool
    /// Why the first of the skipped entries were left out.
    public var refused: [MediaError] = []
    public var refusedCount = 0

    public init(items: [ItemDraft] = [], isTruncated: Bool = false) {
        self.items = items
        self.isTruncated = isTruncated
    }
}

/// The media below a folder.
public struct FolderContent: Hashable, Sendable {
    public var uris: [String]
    /// The folder has more media.
    public var isTruncated: Bool

    public init(uris: [String], isTruncated: Bool = false) {
        self.uris = uris
        self.isTruncated = isTruncated
    }
}

/// One folder of the music folders.
public struct MusicListing: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case folder, file
        /// A playlist file, judged by its name. Adding it adds its entries.
        case list
    }

    public struct Entry: Hashable, Sendable {
        public var name: String
        /// Relative to the music root: a `uri` for the queue, or a `path` to browse.
        public var path: String
        public var kind: Kind
        /// Bytes; nil for folders.
        public var size: UInt64?

        public init(name: String, path: String, kind: Kind, size: UInt64?) {
            self.name = name
            self.path = path
            self.kind = kind
            self.size = size
        }
    }

    /// Empty at the top.
    public var path: String
    public var entries: [Entry]
    /// The folder has more entries.
    public var isTruncated: Bool

    public init(path: String, entries: [Entry], isTruncated: Bool = false) {
        self.path = path
        self.entries = entries
        self.isTruncated = isTruncated
    }

    /// nil at the top.
    public var parent: String? {
        let names = path.split(separator: "/")
        return names.isEmpty ? nil : names.dropLast().joined(separator: "/")
    }
}
