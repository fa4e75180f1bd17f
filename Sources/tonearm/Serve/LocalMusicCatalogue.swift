// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import RemoteAPI

/// The music roots as the API shows them.
struct LocalMusicCatalogue: MediaCatalogue {
    private let roots: MusicRoots
    /// What can be played: recordings as well.
    private let playable: MusicRoots
    private let opener: any MediaOpener
    private let examiner: MediaExaminer
    private let lists: MediaListReader
    let pictures: WebPictures

    init(
        roots: MusicRoots, playable: MusicRoots, opener: any MediaOpener, examiner: MediaExaminer,
        lists: MediaListReader, pictures: WebPictures
    ) {
        self.lists = lists
        self.pictures = pictures
        self.roots = roots
        self.playable = playable
        self.opener = opener
        self.examiner = examiner
    }

    func describe(_ locator: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> MediaDescription {
        try opener.open(locator, cancellation: cancellation).media
    }

    func list(folder path: String) throws(MediaError) -> MusicListing {
        let folder = try MusicFolder.list(path, in: roots)
        let entries = folder.entries.map { entry in
            let kind: MusicListing.Kind =
                switch entry.kind {
                case .directory: .folder
                case .file: .file
                case .list: .list
                }
            return MusicListing.Entry(
                name: entry.name, path: entry.uri, kind: kind, size: entry.size.map { UInt64(max(0, $0)) })
        }
        return MusicListing(
            path: folder.path, parent: Self.parent(of: folder.path), entries: entries, isTruncated: folder.isTruncated)
    }

    func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        let walk = try FolderWalk.collect(path, in: roots, limit: limit)
        return FolderContent(uris: walk.uris, isTruncated: walk.isTruncated)
    }

    func isListName(_ uri: String) -> Bool { MediaListReader.isListName(uri) }
    func isNetwork(_ uri: String) -> Bool { MediaLocator.isNetwork(uri) }
    func server(of uri: String) -> String { WebAddress(uri)?.host ?? uri }

    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent {
        let found = try lists.contents(
            of: locator, limit: limit, mustBeList: isGiven, cancellation: cancellation)
        return ListContent(items: found.items, isTruncated: found.isTruncated)
    }

    func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]? {
        try playable.folderPicture(beside: locator.uri)
    }

    func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        try pictures.picture(at: address, cancellation: cancellation)
    }

    func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics? {
        // Nothing is fetched for a description, and what was loaded to be played is not kept.
        guard !locator.isNetwork else { return nil }
        if let text = try playable.text(beside: locator.uri, extension: "lrc") {
            return MediaLyrics(source: .file, text: text)
        }
        return try examiner.lyrics(in: try playable.openFile(locator.uri)).map { MediaLyrics(source: .tag, text: $0) }
    }

    private static func parent(of path: String) -> String? {
        let names = path.split(separator: "/")
        return names.isEmpty ? nil : names.dropLast().joined(separator: "/")
    }
}
