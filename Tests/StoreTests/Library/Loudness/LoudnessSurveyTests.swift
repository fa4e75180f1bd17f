// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel
import Service
import Testing

@testable import Store

@Suite struct LoudnessSurveyTests {
    let music: ScriptedMusic
    let measuring = ScriptedMeasuring()

    init() throws {
        music = try ScriptedMusic()
        for number in 1...3 {
            try music.file(
                "\(number).mp3",
                "title=\(number);album=A;artist=B;track=\(number);seconds=\(number);level=\(10 * number)")
        }
    }

    private func withSurvey(
        _ measuring: ScriptedMeasuring? = nil, after delay: Double = 0, _ body: (LocalMusicLibrary) throws -> Void
    ) throws {
        let library = try music.library(measuring: measuring ?? self.measuring, after: delay)
        defer { library.close() }
        try body(library)
    }

    private func settle(_ library: LocalMusicLibrary, measured: Int, remaining: Int = 0) throws {
        try library.settles("\(measured) measured, \(remaining) remaining") { library in
            let loudness = library.status.loudness
            return (loudness.measured, loudness.remaining) == (measured, remaining)
        }
    }

    @Test func tracksAreMeasuredOneAfterAnother_eachOnce() throws {
        for _ in 0..<2 {
            try withSurvey { library in
                try settle(library, measured: 3)
                #expect(measuring.most == 1 && measuring.lengths.sorted() == [100, 200, 300])
                let loudness = library.facts(of: "2.mp3", needsLoudness: true).loudness
                #expect(loudness?.trackGain == 2 && loudness?.trackPeak == 20)
            }
        }
        // Only a changed track is measured again.
        try music.file("2.mp3", "title=2;album=A;artist=B;track=2;seconds=5;level=20")
        try withSurvey { try $0.settles("the change is measured") { _ in measuring.lengths.count == 4 } }
        #expect(measuring.lengths.last == 500)
    }

    @Test func measuring_waitsAtTheStart_untilAScanIsRequested() throws {
        try withSurvey(after: 3_600) { library in
            // The status that ends the scan has the count.
            try library.settles()
            #expect(library.status.loudness.remaining == 3 && measuring.lengths.isEmpty)
            #expect(library.requestScan(rereads: false) != nil)
            try settle(library, measured: 3)
        }
    }

    @Test func longTrack_isMeasuredForThreeHours() throws {
        try music.file("1.mp3", "title=1;seconds=36000;level=1")
        try withSurvey { try settle($0, measured: 3) }
        let longest = try #require(measuring.lengths.max())
        #expect((3 * 360_000..<3 * 360_000 + 65_536).contains(longest))
    }

    @Test func unmeasurableTrack_isTriedOnce() throws {
        try music.file("1.mp3", "title=tagged;seconds=1;gain=-3")
        try music.file("2.mp3", "title=unplayable")
        try music.file("3.mp3", "title=silent;seconds=3;level=0")
        for (measured, lengths) in [[300], [300, 400]].enumerated() {
            // A measurable track marks the end of the second round.
            if measured == 1 { try music.file("4.mp3", "title=4;seconds=4;level=40") }
            try withSurvey { library in
                // Before the tracks are counted, nothing is measured and nothing remains either.
                try library.settles("\(lengths) are measured") { _ in measuring.lengths.count == lengths.count }
                try settle(library, measured: measured)
                #expect(measuring.lengths == lengths && library.facts(of: "1.mp3", needsLoudness: true).loudness == nil)
            }
        }
    }

    /// The tracks of the other folder do not wait. The order of the tracks is random.
    @Test func tracksOfAMissingFolder_areMeasured_onceItIsBack() throws {
        for number in 1...4 { try music.file("a/\(number).mp3", "title=\(number);seconds=1;level=10") }
        try music.file("b/5.mp3", "title=5;seconds=2;level=10")
        let roots = ["a", "b"].map { "\(music.music)/\($0)" }
        try music.withLibrary(roots: roots) { library throws in #expect(try library.allTracks.count == 5) }
        try music.move("a", to: "unmounted")
        let library = try music.library(roots: roots, measuring: measuring)
        defer { library.close() }
        try settle(library, measured: 1, remaining: 4)
        #expect(measuring.lengths == [200])
        try music.move("unmounted", to: "a")
        #expect(library.requestScan(rereads: false) != nil)
        try settle(library, measured: 5)
    }

    @Test func withoutItsLibrary_measuringStopsAndReportsWhy() throws {
        try withSurvey(ScriptedMeasuring(missing: MissingLibrary(reason: "no libebur128"))) { library in
            try library.settles("it gives up") { $0.status.loudness.problem == "no libebur128" }
            #expect(library.status.loudness.remaining == 3)
        }
    }

    @Test func close_cancelsTheMeasurement() throws {
        try music.file("1.mp3", "title=1;rate=192000;seconds=10800;level=1")
        try music.remove("2.mp3")
        try music.remove("3.mp3")
        let library = try music.library(measuring: measuring)
        try library.settles("it measures") { _ in measuring.most == 1 }
        let began = MonotonicTime.now
        library.close()
        #expect(MonotonicTime.now.seconds(since: began) < 0.9)
        #expect(measuring.lengths.allSatisfy { $0 < 192_000 * 10_800 })
    }

    @Test func albumLoudness_isKnown_onceAllTracksAreMeasured() throws {
        let loudness = try #require(
            TrackMeasure.albumLoudness((1...3).map { (loudness: -10 * Double($0), seconds: Double($0)) }))
        try withSurvey { library in
            try settle(library, measured: 3)
            for name in ["1.mp3", "3.mp3"] {
                let facts = library.facts(of: name, needsLoudness: true)
                let album = try #require(facts.loudness?.albumGain)
                #expect(abs(album - (-18 - loudness)) < 1e-6 && facts.loudness?.albumPeak == 30)
                #expect(facts.albumFiles == ["1.mp3", "2.mp3", "3.mp3"])
            }
            let unknown = library.facts(of: "9.mp3", needsLoudness: true)
            #expect(unknown.loudness == nil && unknown.albumFiles.isEmpty)
        }
    }

    @Test(
        arguments: [
            // Loudness and seconds of the tracks, and of the album.
            ([], nil), ([(-20, 0)], nil), ([(-20, 60)], -20), ([(-20, 60), (-20, 600)], -20),
            // Energies, not levels, weighted by time.
            ([(-10, 60), (-20, 60)], -12.6), ([(-10, 60), (-16, 180)], -13.58),
            // Tracks below the album's gate do not count.
            ([(-15, 60), (-40, 600)], -15), ([(-15, 60), (-24, 60)], -17.49),
        ] as [([(Double, Double)], Double?)])
    func albumLoudness(_ tracks: [(Double, Double)], _ expected: Double?) {
        let found = TrackMeasure.albumLoudness(tracks.map { (loudness: $0.0, seconds: $0.1) })
        #expect((found == nil) == (expected == nil))
        if let found, let expected { #expect(abs(found - expected) < 0.01) }
    }
}
