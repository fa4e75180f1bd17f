// SPDX-License-Identifier: Apache-2.0

/// The catalogue of the music folders, and the cache.
extension ServerService {
    public func library() throws(Problem) -> any MusicLibrary { try parts.library.orThrow(.noLibrary) }

    /// Reads the catalogue on the library's thread.
    public func askLibrary<Value>(
        reply: @escaping ServiceReply<Value>,
        _ read: @escaping @Sendable (any MusicLibrary) throws(CatalogueError) -> Value
    ) {
        guard let library = parts.library else { return reply(.failure(.noLibrary)) }
        onLibrary(reply: reply) { () throws(Problem) in
            do throws(CatalogueError) { return try read(library) } catch { throw Problem(error) }
        }
    }

    /// Searches playlists beside the catalogue; a server without playlists finds none.
    public func search(
        _ text: String, kinds: Set<SearchKind>, limit: Int, reply: @escaping ServiceReply<SearchResult>
    ) {
        guard let library = parts.library else { return reply(.failure(.noLibrary)) }
        onLibrary(reply: reply) { [parts] () throws(Problem) in
            var result: SearchResult
            do throws(CatalogueError) {
                result = try library.search(text, kinds: kinds, limit: limit)
            } catch {
                throw Problem(error)
            }
            if kinds.contains(.playlists), let keeper = parts.playlists {
                do throws(PlaylistError) {
                    result.playlists = try keeper.search(text, limit: limit)
                } catch {
                    throw Problem(error, nil)
                }
            }
            return result
        }
    }

    /// Starts a scan of all folders. `rereads`: also reads unchanged files.
    public func scanLibrary(rereads: Bool) throws(Problem) -> LibraryStatus {
        guard let status = try library().requestScan(rereads: rereads) else {
            throw Problem(.conflict, "scan-running", "The music is being scanned already.")
        }
        return status
    }

    // MARK: Cache

    /// nil without a cache.
    public func cacheStatus(reply: @escaping ServiceReply<CacheStatus?>) {
        guard let cache = parts.cache else { return reply(.success(nil)) }
        onLibrary(reply: reply) { () throws(Problem) in cache.status() }
    }

    /// Removes all entries that are not in use; replies with the numbers of removed and kept ones.
    public func clearCache(reply: @escaping ServiceReply<(removed: Int, kept: Int)>) {
        onCache(reply) { cache throws(Problem) in cache.removeAll() }
    }

    public func removeFromCache(_ key: String, reply: @escaping ServiceReply<Void>) {
        onCache(reply) { cache throws(Problem) in
            do throws(CacheError) { try cache.remove(key) } catch { throw Problem(error, key) }
        }
    }

    /// Uses the cache on the library's thread.
    public func onCache<Value>(
        _ reply: @escaping ServiceReply<Value>, _ job: @escaping @Sendable (any CacheKeeper) throws(Problem) -> Value
    ) {
        guard let cache = parts.cache else { return reply(.failure(.noCache)) }
        onLibrary(reply: reply) { () throws(Problem) in try job(cache) }
    }
}
