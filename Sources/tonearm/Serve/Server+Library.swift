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
        return try Failure.unlessData {
            try LocalMusicLibrary(
                directory: configuration.data, roots: roots, examiner: examiner,
                measuring: configuration.measuresLoudness ? EBUR128Measuring() : nil, logger: log)
        }
    }

    static func playlists(_ configuration: ServerConfiguration, _ log: Logger) throws -> PlaylistStore {
        try Failure.unlessData { try PlaylistStore(directory: configuration.data, logger: log) }
    }
}
