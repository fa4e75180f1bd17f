// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// The errors of the service's parts as problems.
extension Problem {
    /// Names the member of the request, for example `items[3].uri`.
    public init(_ fault: ItemFault) {
        let member = "items[\(fault.index)].\(fault.member)"
        switch fault.cause {
        case .media(let error): self.init(error, member: member)
        case .catalogue(let error): self.init(error)
        case .playlist(let error, let id): self.init(error, id)
        case .unknown(let id) where fault.member == "playlist": self = .unknownPlaylist(id)
        case .unknown(let id):
            self = .notFound("There is no \(fault.member) \(id.prefix(40)) in the library.", code: "unknown-entry")
        case .noLibrary: self = .noLibrary
        case .noPlaylists: self = .noPlaylists
        case .severalItems:
            self = .invalid(
                member, "This address yields more than one item, and expand is false.", code: "several-items")
        case .tooLarge(let bytes):
            self = .tooLarge("The items take more than \(bytes >> 20) MB.", code: "queue-full")
        case .tooManyReferences(let limit):
            self = .invalid(
                member,
                "One request names \(limit) folders, lists and entries of the library at most. Add fewer at a time.",
                code: "too-many-references")
        case .outOfTime(let seconds):
            self.init(
                .unavailable, "lookup-timeout",
                "The addresses were not all looked up within \(seconds) s. Add fewer at a time.", retryAfter: 30)
        case .cancelled: self = .clientGone
        }
        self.member = member
    }

    init(_ error: CatalogueError) {
        switch error {
        case .unknown(let id): self = .notFound("There is no \(id.prefix(40)) in the library.", code: "unknown-entry")
        case .unavailable(let reason): self.init(.unavailable, "library-unavailable", reason, retryAfter: 2)
        }
    }

    init(_ error: PlaylistError, _ id: PlaylistID?) {
        switch error {
        case .unknown: self = .unknownPlaylist(id?.description ?? "")
        case .revisionMismatch(let current):
            self.init(
                .stale, "revision-mismatch",
                "The playlist has changed: read it again and repeat the change.")
            revision = current
        case .full(let maximum): self = .tooLarge("There is room for \(maximum) only.", code: "playlist-full")
        case .tooLarge(let megabytes):
            self = .tooLarge("The entries of a playlist take at most \(megabytes) MB.", code: "playlist-full")
        case .unreadable(let reason): self.init(.unavailable, "playlists-unavailable", reason)
        case .notSaved(let reason): self = .notSaved(reason)
        case .diskFull(let reason): self = .notSaved(reason, isDiskFull: true)
        }
    }

    /// `key`: the key of the entry.
    public init(_ error: CacheError, _ key: String) {
        switch error {
        case .unknown: self = .notFound("There is no \(key.prefix(40)) in the cache.", code: "unknown-entry")
        case .inUse: self.init(.conflict, "cache-entry-in-use", "It is in use: it plays, or is loaded to be played.")
        case .unreadable(let reason): self.init(.unavailable, "cache-unreadable", reason, retryAfter: 2)
        }
    }

    init(_ error: RecordingError) {
        let text = error.sentence
        switch error {
        case .noSource: self.init(.unavailable, "no-source", text, retryAfter: 2)
        case .unknownSource: self = .notFound(text, code: "unknown-source")
        case .unknownRecording: self = .notFound(text, code: "unknown-recording")
        case .notPermitted: self.init(.conflict, "not-permitted", text)
        case .inUse: self.init(.conflict, "in-use", text)
        case .nothingToSave: self.init(.conflict, "nothing-to-save", text)
        case .notRecording, .ended: self.init(.conflict, "not-recording", text)
        case .diskFull: self = .notSaved(text, isDiskFull: true)
        case .failed: self.init(.unavailable, "recording-failed", text)
        case .shuttingDown: self.init(.unavailable, "shutting-down", text)
        }
    }

    /// `order`: the requested sound.
    init(_ error: AnnouncerError, _ order: SoundOrder?) {
        switch error {
        case .unknown(let id): self = .unknownSound(id.description)
        case .unknownOutput(let id): self = .unknownOutput(id)
        case .busy(let detail): self.init(.tooMany, "too-many-announcements", detail, retryAfter: 5)
        case .playback(let error):
            // The request contains the address, so the answer is the same as for a queue. A later failure of a server
            // is not the request's fault.
            let code = MediaError.Code(rawValue: error.code.rawValue).flatMap { $0 == .network ? nil : $0 }
            let member = order?.member(of: error.part) ?? "uri"
            self = code.map { Problem(MediaError($0, error.message), member: member) } ?? Problem(error)
        case .shuttingDown: self.init(.unavailable, "shutting-down", "The server is going down.", retryAfter: 2)
        }
    }

    public static func unknownSound(_ id: String) -> Problem {
        .notFound("There is no \(id.prefix(40)); it may have ended.", code: "unknown-sound")
    }
}

extension ItemFault {
    /// The fault concerns only this address.
    var canBeSkipped: Bool {
        switch cause {
        case .media, .catalogue, .playlist, .unknown, .severalItems, .noLibrary, .noPlaylists: true
        case .tooLarge, .tooManyReferences, .outOfTime, .cancelled: false
        }
    }
}
