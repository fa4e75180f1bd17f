// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Media as the service reads them, beside playing. It exists so that the verbs do not depend on file systems and
/// decoders. All members may block; they are called on background threads of the API, several at once: media, lists,
/// pictures and waveforms have a few each, and one that hangs is replaced. What is cancelled ends early where it can, with
/// whatever error.
public protocol MediaCatalogue: Sendable {
    /// Opens the media and reads its description, without playing it.
    func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> MediaDescription
    /// The entries of a folder, sorted as a person would read them; "" is the top.
    func list(folder path: String) throws(MediaError) -> MusicListing
    /// Every media in a folder and the folders below it, in the order of `list`; at most `limit`.
    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent
    /// The kind of an address by its spelling. Throws for one that can never be played here. Does not block.
    func address(_ uri: String) throws(MediaError) -> MediaAddress
    /// Whether a path in the music folders is known to name a file without a look at the disk. Does not block.
    func isFileAtHand(_ uri: String) -> Bool
    /// What paths in the music folders name: folders and what is not there, by their index; files are left out, and so is
    /// what was not reached within so many seconds.
    func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace]
    func isNetwork(_ uri: String) -> Bool
    /// Whom a network address asks.
    func server(of uri: String) -> String
    /// The media of a playlist file or feed, with those of the lists within it, in order; at most `limit`. What is no list
    /// is an error when `isGiven`, else a media, unless its first bytes show that it is none. May wait for a server, for
    /// `patience` seconds; nil: as long as a list may take.
    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent
    /// The picture that lies in the media's folder; nil without one.
    func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]?
    /// The picture at a web address. May wait for a server, for 10 s.
    func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8]
    /// From a file of the same name beside the media, else from its tags; nil without any.
    func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics?
}

/// The kind of an address by its spelling, before anything is opened.
public struct MediaAddress: Hashable, Sendable {
    public enum Name: Sendable {
        /// Like an audio file.
        case media
        /// Like a playlist file.
        case list
        /// Anything may be behind it.
        case other
    }

    public var name: Name
    public var isNetwork: Bool

    public init(name: Name, isNetwork: Bool = false) {
        self.name = name
        self.isNetwork = isNetwork
    }
}

/// A path in the music folders that names no file.
public enum MediaPlace: Sendable {
    case folder
    /// It is not there, or may not be played.
    case unusable(MediaError)
}

/// Lyrics as they were found.
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
    /// There is more than that.
    public var isTruncated: Bool
    /// Why entries were left out, of the first ones.
    public var refused: [MediaError] = []
    public var refusedCount = 0

    public init(items: [ItemDraft], isTruncated: Bool = false) {
        self.items = items
        self.isTruncated = isTruncated
    }
}

/// The media below a folder.
public struct FolderContent: Hashable, Sendable {
    public var uris: [String]
    /// There is more than that.
    public var isTruncated: Bool

    public init(uris: [String], isTruncated: Bool = false) {
        self.uris = uris
        self.isTruncated = isTruncated
    }
}

/// One folder of the music roots.
public struct MusicListing: Hashable, Sendable {
    public enum Kind: String, Sendable {
        case folder, file
        /// A playlist file, by its name: its entries stand in its place when it is added.
        case list
    }

    public struct Entry: Hashable, Sendable {
        public var name: String
        /// Relative to the music root: a `uri` for the queue, or a `path` to browse.
        public var path: String
        public var kind: Kind
        /// Bytes; nil for folders.
        public var size: UInt64?

        public init(name: String, path: String, kind: Kind, size: UInt64? = nil) {
            self.name = name
            self.path = path
            self.kind = kind
            self.size = size
        }
    }

    public var path: String
    /// nil at the top.
    public var parent: String?
    public var entries: [Entry]
    /// There are more entries than the catalogue lists.
    public var isTruncated: Bool

    public init(path: String, parent: String?, entries: [Entry], isTruncated: Bool = false) {
        self.path = path
        self.parent = parent
        self.entries = entries
        self.isTruncated = isTruncated
    }
}
