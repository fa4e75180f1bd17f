// SPDX-License-Identifier: Apache-2.0

import Audio
import Service
import Foundation
import GRDB
import KernelTesting
import Logging
import Media
import Playback
import Synchronization
import Testing

@testable import Store

/// A tree of files whose "tags" are lines of text, and a library of it; removed with its owner.
final class ScriptedMusic: Sendable {
    let reads = ReadCount()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["music", "data"] { try folder.directory(name) }
    }

    var base: String { folder.path }
    var music: String { base + "/music" }
    var data: String { base + "/data" }

    /// `tags`: "title=A;artist=B".
    func file(_ path: String, _ tags: String) throws {
        let whole = music + "/" + path
        try FileManager.default.createDirectory(
            atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(tags.utf8).write(to: URL(fileURLWithPath: whole))
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: music + "/" + path) }

    func move(_ path: String, to target: String) throws {
        try FileManager.default.moveItem(atPath: music + "/" + path, toPath: music + "/" + target)
    }

    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: music + "/" + path, withDestinationPath: target)
    }

    func library(
        roots: [String]? = nil, measuring: (any LoudnessMeasuring)? = nil, after delay: Double = 0
    ) throws -> LocalMusicLibrary {
        try LocalMusicLibrary(
            directory: data, roots: MusicRoots(roots ?? [music]),
            examiner: MediaExaminer(factories: [ScriptedFactory(reads: reads)]), measuring: measuring,
            measuresAfter: delay, logger: Logger(label: "test"))
    }

    /// A damaged catalogue was set aside.
    var hasSetAside: Bool {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: data)
            return names.contains { $0.hasPrefix("library.sqlite.damaged-") }
        }
    }

    /// Changes the catalogue's file. No library may use it meanwhile.
    func alter(_ sql: String) throws {
        let file = try DatabaseQueue(path: data + "/library.sqlite")
        try file.write { try $0.execute(sql: sql) }
        try file.close()
    }

    /// Runs the body on a library that has scanned once.
    func withLibrary<Value>(roots: [String]? = nil, _ body: (LocalMusicLibrary) throws -> Value) throws -> Value {
        let library = try library(roots: roots)
        defer { library.close() }
        try library.settles()
        return try body(library)
    }
}

final class ReadCount: Sendable {
    private let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}

extension LocalMusicLibrary {
    /// Waits until no scan runs and the condition holds.
    func settles(
        _ comment: Comment = "the library settles", _ condition: (LocalMusicLibrary) throws -> Bool = { _ in true }
    ) throws {
        let settled = try eventually {
            try status.state == .idle && status.scan?.endedAt != nil && condition(self)
        }
        #expect(settled, comment)
    }

    var allTracks: [Track] {
        get throws { try tracks(CatalogueFilter(), CatalogueWindow(limit: 1000)).entries }
    }
    var titles: [String] { get throws { try allTracks.map(\.title) } }
    var uris: [String] { get throws { try allTracks.map(\.uri).sorted() } }

    func album(_ title: String) throws -> Album {
        let albums = try albums(CatalogueFilter(), CatalogueWindow(limit: 9)).entries.filter { $0.title == title }
        try #require(albums.count == 1)
        return albums[0]
    }

    func found(_ text: String) throws -> [String] {
        try search(text, kinds: [.tracks], limit: 20).tracks.map(\.title)
    }
}

struct ScriptedFactory: DecoderFactory {
    let reads: ReadCount

    func recognises(_ head: [UInt8], of source: any ByteSource) throws(MediaError) -> Bool {
        String(decoding: head, as: UTF8.self).hasPrefix("title=")
    }

    func open(_ source: any ByteSource) throws(MediaError) -> any AudioDecoder {
        let text = String(decoding: try source.bytes(at: 0, count: 4_096), as: UTF8.self)
        guard let track = ScriptedTrack(text) else { throw MediaError(.unsupported, "not for playing") }
        return track
    }

    func outline(_ source: any ByteSource) throws(MediaError) -> MediaOutline {
        reads.add()
        var tags = MediaDescription.Tags()
        let text = String(decoding: try source.bytes(at: 0, count: 4_096), as: UTF8.self)
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { continue }
            switch pair[0] {
            case "title": tags.title = pair[1]
            case "artist": tags.artist = pair[1]
            case "album": tags.album = pair[1]
            case "albumArtist": tags.albumArtist = pair[1]
            case "genre": tags.genre = pair[1]
            case "date": tags.date = pair[1]
            case "track": tags.trackNumber = Int(pair[1])
            default: break
            }
        }
        let media = MediaDescription(
            format: AudioFormat(sampleRate: 44_100, layout: .stereo), duration: 441_000,
            encoding: .init(codec: "scripted"), tags: tags)
        return MediaOutline(media: media, hasPicture: text.contains("picture"))
    }
}
