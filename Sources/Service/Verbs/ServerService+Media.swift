// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Media apart from playback: folders, descriptions, lists, pictures, lyrics, waveforms.
extension ServerService {
    /// A folder of the music folders; "" is the top.
    public func browse(_ path: String, for caller: Caller, reply: @escaping ServiceReply<MusicListing>) {
        openMedia("path", for: caller, reply: reply) { media, _ throws(MediaError) in try media.list(folder: path) }
    }

    public func describe(_ uri: String, for caller: Caller, reply: @escaping ServiceReply<MediaDescription>) {
        openMedia("uri", for: caller, reply: reply) { media, cancellation throws(MediaError) in
            try media.describe(MediaLocator(uri: uri), cancellation: cancellation)
        }
    }

    /// The entries of a playlist file or feed.
    public func expand(_ uri: String, for caller: Caller, reply: @escaping ServiceReply<ListContent>) {
        let isNetwork = MediaLocator.isNetwork(uri)
        let (worker, shares) = isNetwork ? (listWorker, shares(ofServersOf: [uri])) : (mediaWorker, [])
        openMedia("uri", for: caller, on: worker, shares: shares, reply: reply) {
            media, cancellation throws(MediaError) in
            try media.media(
                ofList: MediaLocator(uri: uri), isGiven: true, limit: Queue.maximumLength, patience: nil,
                cancellation: cancellation)
        }
    }

    // MARK: Pictures

    /// The picture in the tags, else the picture in the folder.
    public func artwork(_ locator: MediaLocator, for caller: Caller, reply: @escaping ServiceReply<[UInt8]>) {
        picture(locator, isTagged: true, "uri", for: caller, reply: reply)
    }

    /// The picture of a track or album; for an artist, of the latest album with a picture.
    public func artwork(of id: CatalogueID, for caller: Caller, reply: @escaping ServiceReply<[UInt8]>) {
        askLibrary { [self] (result: Result<Track?, Problem>) in
            attempt(reply) { () throws(Problem) in
                let track = try result.get().orThrow(.noArtwork)
                // Only files with a picture in their tags are opened.
                let locator = MediaLocator(uri: track.uri)
                picture(locator, isTagged: track.hasPicture, "id", for: caller, reply: reply)
            }
        } _: { library throws(CatalogueError) -> Track? in
            let track: CatalogueID? =
                switch id.kind {
                case .artist: try library.artist(id).artworkTrack
                case .album: try library.album(id).artworkTrack
                case .track, .genre: id
                }
            guard let track else { return nil }
            return try library.track(track)
        }
    }

    /// A picture as a JPEG with edges of at most `edge`.
    public func scaled(
        _ picture: [UInt8], edge: Int, for caller: Caller, reply: @escaping ServiceReply<[UInt8]>
    ) {
        render("size", for: caller, reply: reply) { renditions throws(MediaError) in
            try renditions.scaled(picture, edge: edge)
        }
    }

    /// The frame that a video shows at `seconds`.
    public func thumbnail(
        _ uri: String, at seconds: Double, edge: Int, for caller: Caller, reply: @escaping ServiceReply<VideoThumbnail>
    ) {
        render("uri", for: caller) { result in
            reply(
                Result { () throws(Problem) in
                    try result.get().orThrow(
                        Problem(.outOfRange, "behind-the-end", "The video ends before that time."))
                })
        } _: { renditions throws(MediaError) in
            try renditions.thumbnail(MediaLocator(uri: uri), at: seconds, edge: edge)
        }
    }

    public func thumbnails(for caller: Caller, reply: @escaping ServiceReply<[KeptThumbnail]>) {
        render("uri", for: caller, reply: reply) { $0.thumbnails() }
    }

    /// The loudest sample of each of `count` equal parts. `member`: the member of the request that names the media.
    public func waveform(
        _ locator: MediaLocator, count: Int, member: String, for caller: Caller,
        reply: @escaping ServiceReply<MediaWaveform>
    ) {
        guard let renditions = parts.renditions else { return reply(.failure(.noRenditions)) }
        // Computed once for all callers, as the result is cached.
        let share = JobShare(name: "media \(locator.uri)", running: 1)
        openMedia(member, for: caller, on: waveformWorker, shares: [share], reply: reply) {
            _, cancellation throws(MediaError) in
            try renditions.waveform(locator, count: count, cancellation: cancellation)
        }
    }

    // MARK: Lyrics

    public func lyrics(_ locator: MediaLocator, for caller: Caller, reply: @escaping ServiceReply<MediaLyrics>) {
        openMedia("id", for: caller) { result in
            reply(
                Result { () throws(Problem) in
                    try result.get().orThrow(.notFound("This item has no lyrics.", code: "no-lyrics"))
                })
        } _: { media, _ throws(MediaError) in
            try media.lyrics(locator)
        }
    }

    public func lyrics(ofTrack id: CatalogueID, for caller: Caller, reply: @escaping ServiceReply<MediaLyrics>) {
        askLibrary { [self] result in
            attempt(reply) { () throws(Problem) in
                lyrics(MediaLocator(uri: try result.get().uri), for: caller, reply: reply)
            }
        } _: { library throws(CatalogueError) in
            try library.track(id)
        }
    }

    // MARK: Workers

    private func openMedia<Value: Sendable>(
        _ member: String, for caller: Caller, on worker: SupervisedWorker? = nil, shares: [JobShare] = [],
        reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (any MediaAccess, MediaCancellation) throws(MediaError) -> Value
    ) {
        open(for: caller, on: worker, shares: shares, reply: reply) {
            [media = parts.media] cancellation throws(Problem) in
            try Problem.naming(member) { () throws(MediaError) in try job(media, cancellation) }
        }
    }

    /// An item without a picture counts as a wrong type, whatever the request.
    private func render<Value: Sendable>(
        _ member: String, for caller: Caller, reply: @escaping ServiceReply<Value>,
        _ job: @escaping @Sendable (any MediaRenditions) throws(MediaError) -> Value
    ) {
        guard let renditions = parts.renditions else { return reply(.failure(.noRenditions)) }
        open(for: caller, on: renditionWorker, reply: reply) { _ throws(Problem) in
            do throws(MediaError) {
                return try job(renditions)
            } catch {
                switch error.code {
                case .unsupported, .empty: throw Problem(.wrongType, "unsupported", error.message)
                default: throw Problem(error, member: member)
                }
            }
        }
    }

    /// `isTagged`: the tags may contain a picture.
    func picture(
        _ locator: MediaLocator, isTagged: Bool, _ member: String, for caller: Caller,
        reply: @escaping ServiceReply<[UInt8]>
    ) {
        open(for: caller, reply: reply) { [media = parts.media] cancellation throws(Problem) in
            let picture = try Problem.naming(member) { () throws(MediaError) -> [UInt8]? in
                if isTagged, let picture = try media.describe(locator, cancellation: cancellation).tags.picture {
                    return picture.bytes
                }
                return try media.folderPicture(locator)
            }
            return try picture.orThrow(.noArtwork)
        }
    }
}

extension PlayerService {
    /// The picture named by the client; if it is not available, the item's own picture.
    public func artwork(of id: ItemID, for caller: Caller, reply: @escaping ServiceReply<[UInt8]>) {
        guard let item = queueItem(id)?.item else { return reply(.failure(.unknownItem(id.description))) }
        guard let address = item.draft.webPicture else { return ownArtwork(of: item, for: caller, reply: reply) }
        let fetched: ServiceReply<Result<[UInt8], MediaError>> = { result in
            switch result {
            case .success(.success(let picture)): reply(.success(picture))
            case .failure(let problem): reply(.failure(problem))
            case .success(.failure(let error)):
                ownArtwork(of: item, for: caller) { own in
                    // If the item has no picture, the client's address is at fault.
                    if case .failure(let problem) = own, problem.kind == .unknown {
                        reply(.failure(Problem(error, member: "artworkUri")))
                    } else {
                        reply(own)
                    }
                }
            }
        }
        server.open(
            for: caller, on: server.coverWorker, shares: server.shares(ofServersOf: [address.uri]), reply: fetched
        ) { [media = server.parts.media] cancellation throws(Problem) in
            Result { () throws(MediaError) in try media.picture(at: address, cancellation: cancellation) }
        }
    }

    private func ownArtwork(of item: QueueItem, for caller: Caller, reply: @escaping ServiceReply<[UInt8]>) {
        let locator = MediaLocator(item.draft)
        let media = snapshot.item.flatMap { $0.item.id == item.id ? $0.media : nil }
        if let picture = media?.tags.picture { return reply(.success(picture.bytes)) }
        // Nothing is fetched for a picture of its own.
        let isTagged = media == nil && !locator.isNetwork
        server.picture(locator, isTagged: isTagged, "uri", for: caller, reply: reply)
    }
}

extension Problem {
    fileprivate static let noArtwork = notFound("This item has no picture.", code: "no-artwork")
    fileprivate static let noRenditions = Problem(
        .wrongType, "unsupported", "This server has no pictures and waveforms.")
}
