// SPDX-License-Identifier: Apache-2.0

import Service
import Foundation
import KernelTesting
import GRDB
import Kernel
import Media
import Testing

@testable import Store

@Suite struct LibraryScanTests {
    let music: ScriptedMusic

    init() throws {
        music = try ScriptedMusic()
        try music.file(
            "Björk/Homogenic/01.mp3", "title=Hunter;artist=Björk;album=Homogenic;track=1;date=1997;genre=Electronic")
        try music.file("Björk/Homogenic/02.mp3", "title=Jóga;artist=Björk;album=Homogenic;track=2;date=1997;picture")
        try music.file("周杰倫/夜曲.mp3", "title=夜曲;artist=周杰倫;album=十一月的蕭邦;genre=Pop/Mandopop")
    }

    @Test func scan_findsTracksAlbumsArtistsAndGenres() throws {
        try music.withLibrary { library throws in
            #expect(library.status.counts.tracks == 3)
            #expect(library.status.counts.albums == 2)
            #expect(library.status.counts.artists == 2)
            #expect(
                try library.genres(CatalogueWindow(limit: 9)).entries.map(\.name) == ["Electronic", "Mandopop", "Pop"])
            let homogenic = try library.album("Homogenic")
            #expect(homogenic.artist?.name == "Björk" && homogenic.year == 1997 && homogenic.tracks == 2)
            #expect(homogenic.duration == 20)
            let tracks = try library.tracks(CatalogueFilter(album: homogenic.id), CatalogueWindow(limit: 9)).entries
            #expect(tracks.map(\.title) == ["Hunter", "Jóga"])
            // The second track's picture is the album's artwork.
            #expect(homogenic.artworkTrack == tracks[1].id)
            #expect(try library.track(tracks[0].id).uri == "Björk/Homogenic/01.mp3")
        }
    }

    /// The ids are new; the times at which tracks were added stay. A catalogue of an older version has no key.
    @Test func anotherKey_changesTheIDsAndNothingElse() throws {
        let before = try music.withLibrary { try $0.allTracks }
        try FileManager.default.removeItem(atPath: music.data + "/library-key")
        try music.withLibrary { library throws in
            let after = try library.allTracks
            #expect(after.map(\.uri) == before.map(\.uri) && after.map(\.added) == before.map(\.added))
            #expect(Set(after.map(\.id)).isDisjoint(with: before.map(\.id)))
            let counts = library.status.counts
            #expect((counts.tracks, counts.albums, counts.artists, counts.genres) == (3, 2, 2, 3))
            #expect(try library.found("joga") == ["Jóga"])
            #expect(try library.album("Homogenic").artworkTrack == after.first { $0.title == "Jóga" }?.id)
        }
        let reads = music.reads.value
        let again = try music.withLibrary { try $0.allTracks }
        #expect(music.reads.value == reads && again.map(\.uri) == before.map(\.uri))
    }

    @Test(arguments: [
        ("joga", ["Jóga"]), ("JÓGA", ["Jóga"]), ("bjork", ["Hunter", "Jóga"]), ("夜", ["夜曲"]), ("夜曲", ["夜曲"]),
        ("曲", ["夜曲"]), ("杰倫", ["夜曲"]), ("蕭邦", ["夜曲"]), ("hun", ["Hunter"]), ("bjork homogenic hunter", ["Hunter"]),
        ("unknown", []), ("曲夜", []), ("\"", []), ("title:x OR", []),
    ])
    func search_findsCJKAndAccentFree(text: String, expected: [String]) throws {
        try music.withLibrary { library throws in
            #expect(try library.found(text) == expected)
        }
    }

    @Test func search_findsArtistsAndAlbums() throws {
        try music.withLibrary { library throws in
            let found = try library.search("bjork", kinds: Set(SearchKind.allCases), limit: 5)
            #expect(found.artists.map(\.name) == ["Björk"])
            #expect(found.albums.map(\.title) == ["Homogenic"])
            #expect(try library.search("蕭邦", kinds: [.albums], limit: 5).albums.count == 1)
        }
    }

    @Test(arguments: [
        ("electronic", ["Electronic"]), ("POP", ["Pop"]), ("man", ["Mandopop"]), ("op", []), ("", []), ("?", []),
    ])
    func search_findsGenres(text: String, expected: [String]) throws {
        try music.withLibrary { library throws in
            #expect(try library.search(text, kinds: [.genres], limit: 5).genres.map(\.name) == expected)
        }
    }

    @Test func search_findsFolders_byTheirOwnNames() throws {
        try music.withLibrary { library throws in
            let folders = { try library.search($0, kinds: [.folders], limit: 5).folders }
            #expect(try folders("homo") == ["Björk/Homogenic"])
            #expect(try folders("bjork") == ["Björk"])
            #expect(try folders("倫") == ["周杰倫"])
            #expect(try folders("bjork homogenic") == [])
        }
    }

    @Test func artists_haveThePictureOfAnAlbum() throws {
        try music.withLibrary { library throws in
            let artists = try library.artists(CatalogueFilter(), CatalogueWindow(limit: 9)).entries
            let homogenic = try library.album("Homogenic")
            #expect(artists.map(\.name) == ["Björk", "周杰倫"])
            #expect(artists[0].artworkTrack == homogenic.artworkTrack && artists[0].artworkTrack != nil)
            #expect(artists[1].artworkTrack == nil)
        }
    }

    @Test func secondScan_readsOnlyWhatChanged() throws {
        try music.withLibrary { _ in }
        #expect(music.reads.value == 3)
        try music.file("Björk/Homogenic/02.mp3", "title=Jóga (Live);artist=Björk;album=Homogenic;track=2")
        try music.withLibrary { library throws in
            #expect(music.reads.value == 4)
            #expect(library.status.scan?.scanned == 1)
            #expect(try library.titles.contains("Jóga (Live)"))
            #expect(try library.found("live") == ["Jóga (Live)"])
            #expect(try library.found("joga").count == 1)
        }
        try music.withLibrary { library throws in
            #expect(music.reads.value == 4)
            #expect(library.status.scan?.scanned == 0 && library.status.scan?.found == 3)
        }
    }

    @Test func requestedScan_rereadsEverything_whenAsked() throws {
        try music.withLibrary { library throws in
            #expect(library.requestScan(rereads: true) != nil)
            try library.settles { _ in music.reads.value == 6 }
            #expect(try library.titles.count == 3)
        }
    }

    @Test func removedFile_takesItsAlbumAndArtistAlong() throws {
        try music.withLibrary { _ in }
        try music.remove("周杰倫")
        try music.withLibrary { library throws in
            #expect(library.status.counts.tracks == 2)
            #expect(library.status.counts.artists == 1 && library.status.counts.albums == 1)
            #expect(library.status.scan?.removed == 1)
            #expect(try library.found("夜曲").isEmpty)
            #expect(try library.search("周", kinds: [.artists], limit: 5).artists.isEmpty)
        }
    }

    @Test func watch_seesNewChangedMovedAndRemovedFiles() throws {
        try music.withLibrary { library throws in
            try music.file("New/a.mp3", "title=Fresh;artist=Someone")
            try library.settles("new folder") { try $0.titles.contains("Fresh") }
            try music.file("New/b.mp3", "title=Second;artist=Someone")
            try library.settles("new file") { try $0.titles.contains("Second") }
            try music.file("New/b.mp3", "title=Second, changed;artist=Someone")
            try library.settles("changed") { try $0.titles.contains("Second, changed") }
            try music.move("New", to: "Moved")
            try library.settles("moved folder") {
                try $0.uris.contains("Moved/a.mp3") && !$0.uris.contains("New/a.mp3")
            }
            // The watch of the moved folder reports it under its new name.
            try music.file("Moved/c.mp3", "title=Third")
            try library.settles("file in moved folder") { try $0.uris.contains("Moved/c.mp3") }
            try music.remove("Moved")
            try library.settles("removed folder") { try $0.titles.count == 3 }
            #expect(library.status.counts.artists == 2)
        }
    }

    /// An é as one code point and as two: different names for the file system.
    @Test func watch_seesBothFolders_whenTheirNamesDifferInBytesOnly() throws {
        let twins = ["\u{E9}", "e\u{301}"]
        for name in twins { try music.file(name + "/a.mp3", "title=First") }
        try music.withLibrary { library throws in
            #expect(library.status.counts.tracks == 5)
            for name in twins { try music.file(name + "/b.mp3", "title=Second") }
            try library.settles("both folders") { $0.status.counts.tracks == 7 }
            #expect(try Set(library.uris.map { PathKey($0) }).isSuperset(of: twins.map { PathKey($0 + "/b.mp3") }))
        }
    }

    @Test func linkToAFolder_listsNothing_whenItsNameDiffersInBytesOnly() throws {
        try music.file("\u{E9}/a.mp3", "title=First")
        try music.link("e\u{301}", to: "\u{E9}")
        try music.withLibrary { library throws in #expect(library.status.counts.tracks == 4) }
    }

    @Test func filesThatAreNoAudio_areCountedAndNotReadAgain() throws {
        try music.file("broken.mp3", "nonsense")
        try music.file("empty.mp3", "")
        try music.withLibrary { library throws in
            #expect(library.status.counts.tracks == 3 && library.status.counts.unplayable == 2)
        }
        try music.withLibrary { library throws in #expect(library.status.scan?.scanned == 0) }
        try music.file("broken.mp3", "title=Repaired")
        try music.withLibrary { library throws in
            #expect(library.status.counts.tracks == 4 && library.status.counts.unplayable == 1)
        }
    }

    @Test func links_outOfTheRootsAndInCirclesListNothing() throws {
        let outside = music.base + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try Data("title=Secret".utf8).write(to: URL(fileURLWithPath: outside + "/secret.mp3"))
        try music.link("out", to: outside)
        try music.link("secret.mp3", to: outside + "/secret.mp3")
        try music.link("Björk/loop", to: "..")
        try music.link("Björk/self", to: ".")
        try music.withLibrary { library throws in
            #expect(try library.titles.sorted() == ["Hunter", "Jóga", "夜曲"])
        }
    }

    @Test func missingRoot_keepsWhatIsKnown() throws {
        try music.withLibrary { _ in }
        try FileManager.default.moveItem(atPath: music.music, toPath: music.base + "/unmounted")
        try music.withLibrary { library throws in
            #expect(try library.titles.count == 3)
            #expect(library.status.problems.contains { $0.contains("cannot be opened") })
        }
    }

    /// Files in a folder that each root has, and at the top: these folders still exist while one root is missing.
    @Test func missingRoot_keepsFilesOfFoldersThatOtherRootsHave() throws {
        let (first, second) = (music.music, music.base + "/second")
        let away = music.base + "/unmounted"
        let roots = [first, second]
        try music.file("Various/a.mp3", "title=A")
        try music.file("../second/Various/b.mp3", "title=B")
        try music.file("../second/top.mp3", "title=Top")
        let before = try music.withLibrary(roots: roots) { try $0.uris }
        #expect(before.count == 6)
        try FileManager.default.moveItem(atPath: second, toPath: away)
        try music.withLibrary(roots: roots) { library throws in
            #expect(try library.uris == before)
            // A change in a folder of that name keeps them too.
            try music.file("Various/c.mp3", "title=C")
            try library.settles("new file") { try $0.titles.contains("C") }
            #expect(try library.uris.count == 7)
        }
        try FileManager.default.moveItem(atPath: away, toPath: second)
        try FileManager.default.removeItem(atPath: second + "/Various/b.mp3")
        try music.withLibrary(roots: roots) { library throws in
            #expect(library.status.scan?.scanned == 0, "what was kept is known as it was")
            #expect(try library.uris.contains("top.mp3") && !library.uris.contains("Various/b.mp3"))
        }
    }

    @Test func problemsOfCatalogueAndFolders_areReportedTogether_andEndSeparately() throws {
        try music.withLibrary(roots: [music.music, music.base + "/absent"]) { library throws in
            let other = try DatabaseQueue(path: music.data + "/library.sqlite")
            try music.file("New/x.mp3", "title=X")
            try other.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE")
                #expect(library.requestScan(rereads: true) != nil)
                #expect(eventually { library.status.problems.count == 2 })
                try database.execute(sql: "ROLLBACK")
            }
            #expect(library.status.problems.contains { $0.contains("cannot be written") })
            #expect(library.status.problems.contains { $0.contains("absent cannot be opened") })
            // Refused while the previous scan still runs.
            #expect(eventually { library.requestScan(rereads: true) != nil })
            try library.settles("problem over") { $0.status.problems.count == 1 }
            #expect(library.status.problems.first?.contains("absent cannot be opened") == true)
        }
    }

    @Test func compilation_isOneAlbumOfSeveralArtists() throws {
        for (number, artist) in ["A", "B", "C"].enumerated() {
            try music.file("Hits/CD \(number % 2 + 1)/\(number).mp3", "title=\(artist);artist=\(artist);album=Hits")
        }
        try music.withLibrary { library throws in
            let hits = try library.album("Hits")
            #expect(hits.tracks == 3 && hits.artist == nil)
            let a = try #require(try library.search("a", kinds: [.artists], limit: 9).artists.first)
            let albums = try library.albums(CatalogueFilter(artist: a.id), CatalogueWindow(limit: 9)).entries
            #expect(albums.map(\.title) == ["Hits"])
        }
    }

    /// nil: the file is no database. The ids stay the same, because they are hashes.
    @Test(arguments: [
        nil, "DROP TABLE genre", "DROP TABLE trackText", "DROP INDEX trackKey", "ALTER TABLE album DROP COLUMN year",
        "UPDATE track SET modified = 'x'",
    ])
    func damagedCatalogue_isSetAsideAndBuiltAnew(change: String?) throws {
        let ids = try music.withLibrary { try $0.allTracks.map(\.id) }
        if let change {
            try music.alter(change)
        } else {
            try Data("this is no database, but long enough to be looked at as one".utf8).write(
                to: URL(fileURLWithPath: music.data + "/library.sqlite"))
        }
        try music.withLibrary { library throws in #expect(try library.allTracks.map(\.id) == ids) }
        #expect(try music.hasSetAside)
    }

    /// The catalogue refuses tracks for a while, as on a full disk.
    @Test func musicOfAFailedScan_isFound_withTheNextChange() throws {
        try music.withLibrary { _ in }
        try music.alter("CREATE TRIGGER noRoom BEFORE INSERT ON track BEGIN SELECT RAISE(ABORT, 'no room'); END")
        try music.withLibrary { library throws in
            try music.file("Björk/Homogenic/03.mp3", "title=Unravel")
            #expect(eventually { library.status.state == .failed })
            try music.alter("DROP TRIGGER noRoom")
            try music.file("周杰倫/髮如雪.mp3", "title=髮如雪")
            try library.settles("both folders") { try Set($0.titles).isSuperset(of: ["Unravel", "髮如雪"]) }
        }
    }

    @Test func damagedPage_isFoundAtTheStart() throws {
        for number in 0..<300 { try music.file("many/\(number).mp3", "title=Song \(number);artist=A \(number)") }
        try music.withLibrary { _ in }
        let path = music.data + "/library.sqlite"
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 4096 * 6)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096 * 8))
        try file.close()
        try music.withLibrary { library throws in
            #expect(try library.tracks(CatalogueFilter(), CatalogueWindow(limit: 1)).length == 303)
        }
        #expect(try music.hasSetAside)
    }

    @Test func close_endsAScanAtOnce_andTheNextGoesOn() throws {
        for number in 0..<800 { try music.file("many/\(number / 100)/\(number).mp3", "title=Song \(number)") }
        let library = try music.library()
        library.close()
        #expect(library.status.scan?.isCancelled == true)
        try music.withLibrary { library throws in #expect(library.status.counts.tracks == 803) }
    }

    @Test func pages_areWindowsInOrder() throws {
        for number in 0..<25 { try music.file("p/\(number).mp3", "title=Page \(number)") }
        try music.withLibrary { library throws in
            let page = try library.tracks(CatalogueFilter(), CatalogueWindow(offset: 5, limit: 10))
            #expect(page.length == 28 && page.offset == 5)
            // "Hunter", "Jóga", then the pages by value.
            #expect(page.entries.map(\.title) == (3..<13).map { "Page \($0)" })
            #expect(try library.tracks(CatalogueFilter(), CatalogueWindow(offset: 99, limit: 10)).entries.isEmpty)
        }
    }
}
