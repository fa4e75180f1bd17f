// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Store

@Suite struct CatalogueSearchTests {
    /// The scan reads the files in another order.
    @Test func equalTitles_areInOrderOfArtist_albumAndPlace() throws {
        let music = try ScriptedMusic()
        try music.file("1.mp3", "title=Intro;artist=Zoe;album=Zebra;track=1")
        try music.file("2.mp3", "title=Intro;artist=Anna;album=Pears;track=1")
        try music.file("3.mp3", "title=Intro;artist=Anna;album=Apples;track=2")
        try music.file("4.mp3", "title=Intro;artist=Anna;album=Apples;track=1")
        try music.withLibrary { library throws in
            let tracks = try library.search("intro", kinds: [.tracks], limit: 9).tracks
            #expect(tracks.map(\.uri) == ["4.mp3", "3.mp3", "2.mp3", "1.mp3"])
        }
    }

    @Test func equalAlbums_areInOrderOfArtist() throws {
        let music = try ScriptedMusic()
        for (file, artist) in [("1.mp3", "Zoe"), ("2.mp3", "Mia"), ("3.mp3", "Anna")] {
            try music.file("\(artist)/\(file)", "title=A;artist=\(artist);album=Best of")
        }
        try music.withLibrary { library throws in
            let albums = try library.search("best of", kinds: [.albums], limit: 9).albums
            #expect(albums.map { $0.artist?.name } == ["Anna", "Mia", "Zoe"])
        }
    }
}
