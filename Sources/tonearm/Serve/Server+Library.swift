// SPDX-License-Identifier: Apache-2.0

import LoadedLibraries
import Logging
import Media
import Store

extension Server {
    /// nil when there is no music, or none is wanted.
    static func library(
        _ configuration: ServerConfiguration, _ roots: MusicRoots, _ examiner: MediaExaminer, _ log: Logger
    ) throws -> LocalMusicLibrary? {
        guard configuration.hasLibrary, !configuration.music.isEmpty else { return nil }
        do throws(StateStoreError) {
            return try LocalMusicLibrary(
                directory: configuration.data, roots: roots, examiner: examiner,
                measuring: configuration.measuresLoudness ? EBUR128Measuring() : nil, logger: log)
        } catch {
            throw Failure("data: \(error); name another directory with --data DIR.", .cannotCreate)
        }
    }

    static func playlists(_ configuration: ServerConfiguration, _ log: Logger) throws -> PlaylistStore {
        do throws(StateStoreError) {
            return try PlaylistStore(directory: configuration.data, logger: log)
        } catch {
            throw Failure("data: \(error); name another directory with --data DIR.", .cannotCreate)
        }
    }
}
