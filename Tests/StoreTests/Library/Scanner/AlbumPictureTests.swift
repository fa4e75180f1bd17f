// SPDX-License-Identifier: Apache-2.0

import Service
import Foundation
import Testing

@testable import Store

@Suite struct AlbumPictureTests {
    let music: ScriptedMusic

    init() throws {
        music = try ScriptedMusic()
        try music.file("周杰倫/夜曲.mp3", "title=夜曲;artist=周杰倫;album=十一月的蕭邦")
    }

    @Test func albumHasAPicture_whenATrackOrItsFolderHas() throws {
        try music.file("周杰倫/Cover.JPG", "any bytes")
        try music.file("Nobody/a.mp3", "title=A;album=Bare")
        try music.file("Nobody/recovery.jpg/not a picture but a folder.mp3", "title=B;album=Lower")
        try music.withLibrary { library throws in
            func artwork(_ title: String) throws -> CatalogueID? { try library.album(title).artworkTrack }
            #expect(try artwork("十一月的蕭邦") != nil)
            #expect(try artwork("Bare") == nil)
            // A picture appears and disappears while the music does not change.
            let reads = music.reads.value
            try music.file("Nobody/folder.png", "any bytes")
            try library.settles("a picture is found") { _ in try artwork("Bare") != nil }
            try music.remove("Nobody/folder.png")
            try library.settles("its end as well") { _ in try artwork("Bare") == nil }
            #expect(music.reads.value == reads)
        }
    }

    @Test func catalogueOfAnEarlierVersion_learnsWhichFoldersHavePictures() throws {
        try music.file("周杰倫/cover.jpg", "any bytes")
        try music.withLibrary { _ in }
        try music.alter(
            """
            ALTER TABLE folder DROP COLUMN picture;
            UPDATE album SET artwork = (SELECT key FROM track WHERE album = album.id LIMIT 1);
            DELETE FROM grdb_migrations WHERE identifier = '2 folders with pictures'
            """)
        let reads = music.reads.value
        try music.withLibrary { library throws in #expect(try library.album("十一月的蕭邦").artworkTrack != nil) }
        #expect(music.reads.value == reads)
    }
}
