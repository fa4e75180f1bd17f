// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Service
import Kernel

/// The music roots as the API shows them.
struct LocalMediaAccess: MediaAccess {
    let roots: MusicRoots
    /// The playable roots: recordings as well.
    let playable: MusicRoots
    let bounds: MusicRoots.Bounds
    let opener: any MediaOpener
    let examiner: MediaExaminer
    let lists: MediaListReader
    let pictures: WebPictures

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

    func address(_ uri: String) throws(MediaError) -> MediaAddress {
        let isNetwork = MediaLocator.isNetwork(uri)
        if !isNetwork {
            try bounds.check(uri)
        } else if WebAddress(uri) == nil {
            throw MediaError(.unsupported, "This is not a web address such as https://host/path.")
        }
        let path = isNetwork ? uri.prefix { $0 != "?" && $0 != "#" } : uri[...]
        let name: MediaAddress.Name =
            AudioFileType.isAudioFile(path) ? .media : MediaListReader.isListName(uri) ? .list : .other
        return MediaAddress(name: name, isNetwork: isNetwork)
    }

    func isFileAtHand(_ uri: String) -> Bool { playable.knowsFile(uri) }

    func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace] {
        var lookup = PlaceLookup(roots: playable)
        var found: [Int: MediaPlace] = [:]
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        for (index, uri) in uris.enumerated() {
            if cancellation.isCancelled || deadline <= .now { break }
            do throws(MediaError) {
                if try lookup.place(of: uri) == .folder { found[index] = .folder }
            } catch {
                found[index] = .unusable(error)
            }
        }
        return found
    }

    func server(of uri: String) -> String { WebAddress(uri)?.host ?? uri }

    func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent {
        let found = try lists.contents(
            of: locator, limit: limit, mustBeList: isGiven, patience: patience, cancellation: cancellation)
        var content = ListContent(items: found.items, isTruncated: found.isTruncated)
        (content.refused, content.refusedCount) = (found.refused, found.refusedCount)
        return content
    }

    func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]? {
        // An item of a server has no folder.
        locator.isNetwork ? nil : try playable.folderPicture(beside: locator.uri)
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
