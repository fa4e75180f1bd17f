// SPDX-License-Identifier: Apache-2.0

import Audio
import GRDB
import Glibc
import Media

/// The result of measuring a track, saved in the track's row. A changed file gets a new row.
enum TrackMeasure {
    case measured(MediaLoudness)
    /// The tags have the loudness.
    case tagged
    /// The track is silent or unplayable.
    case unmeasurable

    /// The value of the column `measured`; 0 is a track that was not measured yet.
    private var state: Int {
        switch self {
        case .measured: 1
        case .tagged: 2
        case .unmeasurable: 3
        }
    }

    /// A track that was not measured yet, in the scanned version.
    struct Unmeasured {
        var uri: String
        var key, size, modified: Int64

        static func first(after key: Int64, _ database: Database) throws -> Unmeasured? {
            let sql = "SELECT uri, key, size, modified FROM track WHERE measured = 0 AND key > ? ORDER BY key LIMIT 1"
            return try database.row(sql, [key]).map {
                try Unmeasured(uri: $0[0], key: $0[1], size: $0[2], modified: $0[3])
            }
        }
    }

    /// Changes nothing if the file has changed meanwhile.
    func write(_ track: Unmeasured, _ database: Database) throws {
        var loudness: MediaLoudness?
        if case .measured(let measured) = self { loudness = measured }
        try database.run(
            "UPDATE track SET measured = ?, loudness = ?, peak = ?, gated = ? WHERE key = ? AND size = ? AND modified = ?",
            [
                state, loudness?.loudness, loudness?.peak, loudness?.gatedSeconds, track.key, track.size,
                track.modified,
            ])
    }

    static func counts(_ database: Database) throws -> (measured: Int, remaining: Int) {
        func count(_ state: Int) throws -> Int {
            try Int.fetchOne(database, sql: "SELECT count(*) FROM track WHERE measured = \(state)") ?? 0
        }
        return (try count(1), try count(0))
    }

    // MARK: As gains

    /// The maximum number of tracks read per album.
    private static let largestAlbum = 500

    /// nil if the track was not measured. Includes the album's loudness once all its tracks were measured.
    static func loudness(ofTrack key: Int64, _ database: Database) throws -> TrackLoudness? {
        let own = try database.row("SELECT loudness, peak, album FROM track WHERE key = ? AND measured = 1", [key])
        guard let own else { return nil }
        var result = try TrackLoudness(trackGain: MediaLoudness.reference - (own[0] as Double), trackPeak: own[1])
        guard let album = try own[2] as Int64? else { return result }
        let rows = try database.rows(
            "SELECT loudness, peak, gated, measured FROM track WHERE album = ? LIMIT \(largestAlbum)", [album])
        guard try !rows.contains(where: { try $0[3] as Int == 0 }) else { return result }
        let tracks = try rows.filter { try $0[3] as Int == 1 }
        let parts = try tracks.map { try (loudness: $0[0] as Double, seconds: $0[2] as Double? ?? 0) }
        guard let loudness = albumLoudness(parts) else { return result }
        result.albumGain = MediaLoudness.reference - loudness
        result.albumPeak = try tracks.map { try $0[1] as Double }.max()
        return result
    }

    /// The loudness of an album as one programme, in LUFS: the mean energy of its tracks, weighted by their gated seconds. nil
    /// without any gated sound.
    static func albumLoudness(_ tracks: [(loudness: Double, seconds: Double)]) -> Double? {
        func mean(_ tracks: [(loudness: Double, seconds: Double)]) -> Double? {
            let seconds = tracks.reduce(0) { $0 + $1.seconds }
            let energy = tracks.reduce(0) { $0 + pow(10, $1.loudness / 10) * $1.seconds }
            return energy > 0 && seconds > 0 ? 10 * log10(energy / seconds) : nil
        }
        guard let whole = mean(tracks) else { return nil }
        // A track below the relative gate of BS.1770-4 does not count, like a silent passage of a track.
        return mean(tracks.filter { $0.loudness >= whole - 10 }) ?? whole
    }
}
