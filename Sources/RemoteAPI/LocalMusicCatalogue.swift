// SPDX-License-Identifier: Apache-2.0

public import Media
public import Playback

/// The music roots as the API shows them.
public struct LocalMusicCatalogue: MediaCatalogue {
    private let roots: MusicRoots
    private let opener: any MediaOpener
    private let examiner: MediaExaminer

    public init(roots: MusicRoots, opener: any MediaOpener, examiner: MediaExaminer = MediaExaminer(factories: [])) {
        self.roots = roots
        self.opener = opener
        self.examiner = examiner
    }

    public func describe(_ locator: MediaLocator) throws(MediaError) -> MediaDescription {
        try opener.open(locator, cancellation: MediaCancellation()).media
    }

    public func list(folder path: String) throws(MediaError) -> MusicListing {
        let folder = try MusicFolder.list(path, in: roots)
        let entries = folder.entries.map { entry in
            MusicListing.Entry(
                name: entry.name, path: entry.uri, isFolder: entry.kind == .directory,
                size: entry.size.map { UInt64(max(0, $0)) })
        }
        return MusicListing(
            path: folder.path, parent: Self.parent(of: folder.path), entries: entries, isTruncated: folder.isTruncated)
    }

    public func media(inFolder path: String, limit: Int) throws(MediaError) -> [String] {
        try FolderWalk.collect(path, in: roots, limit: limit).uris
    }

    public func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]? {
        try roots.folderPicture(beside: locator.uri)
    }

    public func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics? {
        if let text = try roots.text(beside: locator.uri, extension: "lrc") {
            return MediaLyrics(source: .file, text: text)
        }
        return try examiner.lyrics(in: try roots.openFile(locator.uri)).map { MediaLyrics(source: .tag, text: $0) }
    }

    private static func parent(of path: String) -> String? {
        let names = path.split(separator: "/")
        return names.isEmpty ? nil : names.dropLast().joined(separator: "/")
    }
}
