// SPDX-License-Identifier: Apache-2.0

import Audio
import GRDB
import Glibc
import Media

/// The result of measuring a track. It stands in the track's row, which is written anew when the file changes.
enum TrackMeasure {
    case measured(MediaLoudness)
    /// From its tags.
    case tagged
    /// Silence, or it does not play.
    case unmeasurable

    /// As the column `measured` has it; 0 is a track that waits.
    private var state: Int {
        switch self {
        case .measured: 1
        case .tagged: 2
        case .unmeasurable: 3
        }
    }

    /// A track that waits, in the version that was scanned.
    struct Unmeasured {
        var uri: String
        var key: Int64
        var size: Int64
        var modified: Int64

        static func first(_ database: Database) throws -> Unmeasured? {
            let statement = try database.cachedStatement(
                sql: "SELECT uri, key, size, modified FROM track WHERE measured = 0 LIMIT 1")
            return try Row.fetchOne(statement).map {
                Unmeasured(uri: $0[0], key: $0[1], size: $0[2], modified: $0[3])
            }
        }
    }

    /// Changes nothing when the file has changed meanwhile.
    func write(_ track: Unmeasured, _ database: Database) throws {
        var loudness: MediaLoudness?
        if case .measured(let measured) = self { loudness = measured }
        try database.cachedStatement(
            sql: """
                UPDATE track SET measured = ?, loudness = ?, peak = ?, gated = ?
                WHERE key = ? AND size = ? AND modified = ?
                """
        ).execute(
            arguments: [
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

    /// Tracks of one album that are looked at.
    private static let largestAlbum = 500

    /// nil when it was not measured. That of the album counts once all its tracks have been looked at.
    static func loudness(ofTrack key: Int64, _ database: Database) throws -> TrackLoudness? {
        let own = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT loudness, peak, album FROM track WHERE key = ? AND measured = 1"),
            arguments: [key])
        guard let own else { return nil }
        var result = TrackLoudness(trackGain: MediaLoudness.reference - (own[0] as Double), trackPeak: own[1])
        guard let album = (own[2] as Int64?) else { return result }
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT loudness, peak, gated, measured FROM track WHERE album = ? LIMIT \(largestAlbum)"),
            arguments: [album])
        guard !rows.contains(where: { ($0[3] as Int) == 0 }) else { return result }
        let tracks = rows.filter { ($0[3] as Int) == 1 }
        let parts = tracks.map { AlbumLoudness.Part(loudness: $0[0], seconds: $0[2] ?? 0) }
        guard let loudness = AlbumLoudness(parts) else { return result }
        result.albumGain = MediaLoudness.reference - loudness.value
        result.albumPeak = tracks.map { $0[1] as Double }.max()
        return result
    }
}

/// The loudness of an album as one programme, from those of its tracks: the mean of their energies over the time that counts.
struct AlbumLoudness {
    struct Part {
        /// LUFS, integrated.
        var loudness: Double
        /// As `MediaLoudness.gatedSeconds`.
        var seconds: Double
    }

    /// So far below the mean the relative gate of BS.1770-4 lies, in LU.
    private static let gate = 10.0

    /// LUFS.
    let value: Double

    /// nil when nothing counts.
    init?(_ parts: [Part]) {
        guard let whole = Self.mean(parts) else { return nil }
        // A track below the gate of the whole album counts as little as a silent passage of one track.
        value = Self.mean(parts.filter { $0.loudness >= whole - Self.gate }) ?? whole
    }

    private static func mean(_ parts: [Part]) -> Double? {
        let seconds = parts.reduce(0) { $0 + $1.seconds }
        let energy = parts.reduce(0) { $0 + pow(10, $1.loudness / 10) * $1.seconds }
        return energy > 0 && seconds > 0 ? 10 * log10(energy / seconds) : nil
    }
}
