// SPDX-License-Identifier: Apache-2.0

extension Problem {
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
                "The playlist has another revision by now: read it again and repeat the change.")
            revision = current
        case .full(let maximum): self = .tooLarge("There is room for \(maximum) only.", code: "playlist-full")
        case .tooLarge(let megabytes):
            self = .tooLarge("The entries of a playlist take at most \(megabytes) MB.", code: "playlist-full")
        case .unreadable(let reason): self.init(.unavailable, "playlists-unavailable", reason)
        case .notSaved(let reason): self.init(.failed, "not-saved", reason)
        }
    }

    /// `key`: of the entry.
    public init(_ error: CacheError, _ key: String) {
        switch error {
        case .unknown: self = .notFound("There is no \(key.prefix(40)) in the cache.", code: "unknown-entry")
        case .inUse: self.init(.conflict, "cache-entry-in-use", "It plays, or is loaded to be played.")
        case .unreadable(let reason): self.init(.unavailable, "cache-unreadable", reason, retryAfter: 2)
        }
    }
}
