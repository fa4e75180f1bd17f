// SPDX-License-Identifier: Apache-2.0

internal import Kernel
public import Playback
public import Service

/// Gives the API access to the music roots, lists and web pictures.
public struct LocalMediaAccess: MediaAccess {
    private let roots: MusicRoots
    private let playable: MusicRoots
    private let bounds: MusicRoots.Bounds
    private let opener: any MediaOpener
    private let examiner: MediaExaminer
    private let lists: MediaListReader
    private let pictures: WebPictures

    /// `playable`: the roots and the recordings. `transport`: nil if the network is off.
    public init(
        roots: MusicRoots, playable: MusicRoots, opener: any MediaOpener, examiner: MediaExaminer,
        transport: (any HTTPTransport)?, scanner: any XMLScanner
    ) {
        (self.roots, self.playable, self.opener, self.examiner) = (roots, playable, opener, examiner)
        bounds = playable.bounds
        lists = MediaListReader(roots: roots, playable: playable, transport: transport, scanner: scanner)
        pictures = WebPictures(transport: transport)
    }

    public func describe(
        _ locator: MediaLocator, cancellation: MediaCancellation
    ) throws(MediaError) -> MediaDescription {
        try opener.open(locator, cancellation: cancellation).media
    }

    public func list(folder path: String) throws(MediaError) -> MusicListing { try MusicFolder.list(path, in: roots) }

    public func media(inFolder path: String, limit: Int) throws(MediaError) -> FolderContent {
        try FolderWalk.collect(path, in: roots, limit: limit)
    }

    public func address(_ uri: String) throws(MediaError) -> MediaAddress {
        let isNetwork = MediaLocator.isNetwork(uri)
        if !isNetwork {
            try bounds.check(uri)
        } else if WebAddress(uri) == nil {
            throw MediaError(.unsupported, "This is not a web address such as https://host/path.")
        }
        let path = isNetwork ? uri.prefix { $0 != "?" && $0 != "#" } : uri[...]
        let name: MediaAddress.Name =
            AudioFileType.isAudioFile(path) ? .media : MediaListFormat.isListName(uri) ? .list : .other
        return MediaAddress(name: name, isNetwork: isNetwork)
    }

    public func isFileAtHand(_ uri: String) -> Bool { playable.knowsFile(uri) }

    public func places(
        of uris: [String], seconds: Double, cancellation: MediaCancellation
    ) -> [Int: MediaPlace] {
        var lookup = PlaceLookup(roots: playable)
        var found: [Int: MediaPlace] = [:]
        let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
        for (index, uri) in uris.enumerated() {
            if cancellation.isCancelled || deadline <= .now { break }
            do throws(MediaError) {
                if try lookup.isFolder(uri) { found[index] = .folder }
            } catch {
                found[index] = .unusable(error)
            }
        }
        return found
    }

    public func server(of uri: String) -> String { WebAddress(uri)?.host ?? uri }

    public func media(
        ofList locator: MediaLocator, isGiven: Bool, limit: Int, patience: Double?, cancellation: MediaCancellation
    ) throws(MediaError) -> ListContent {
        try lists.contents(
            of: locator, limit: limit, mustBeList: isGiven, patience: patience, cancellation: cancellation)
    }

    public func folderPicture(_ locator: MediaLocator) throws(MediaError) -> [UInt8]? {
        // A web item has no folder.
        locator.isNetwork ? nil : try playable.folderPicture(beside: locator.uri)
    }

    public func picture(at address: MediaLocator, cancellation: MediaCancellation) throws(MediaError) -> [UInt8] {
        try pictures.picture(at: address, cancellation: cancellation)
    }

    public func lyrics(_ locator: MediaLocator) throws(MediaError) -> MediaLyrics? {
        // Lyrics are not worth a download.
        guard !locator.isNetwork else { return nil }
        if let text = try playable.lyrics(beside: locator.uri) {
            return MediaLyrics(source: .file, text: text)
        }
        return try examiner.lyrics(in: try playable.openFile(locator.uri)).map { MediaLyrics(source: .tag, text: $0) }
    }
}
