// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

@Suite struct MusicDuckingTests {
    @Test func betweenTwoAnnouncements_theMusicStaysDucked_andTheSessionIsNotifiedOnce() {
        var ducking = MusicDucking()
        #expect(ducking.begin() == [.notifySession(true)])
        #expect(ducking.treat(.duck(decibels: -20)) == [.duck(to: 0.1, over: 0.15)])
        #expect(ducking.begin() == [] && ducking.treat(.duck(decibels: -20)) == [])
        #expect(ducking.treat(nil) == [.duck(to: 1, over: 0.4)])
        #expect(ducking.settle() == [.notifySession(false)] && ducking.settle() == [])
    }

    @Test func aPauseEnds_onlyWhenTheMusicHasResumed() {
        var ducking = MusicDucking()
        _ = ducking.begin()
        #expect(ducking.treat(.pause) == [.interrupt])
        #expect(ducking.treat(nil) == [.giveBack] && ducking.settle() == [])
        // Another announcement comes before that.
        #expect(ducking.begin() == [] && ducking.treat(.pause) == [.interrupt] && ducking.treat(nil) == [.giveBack])
        ducking.returned()
        #expect(ducking.settle() == [])
        ducking.returned()
        #expect(ducking.settle() == [.notifySession(false)])
    }

    @Test func aChangeOfTreatment_undoesTheFormerOne() {
        var ducking = MusicDucking()
        _ = ducking.begin()
        _ = ducking.treat(.duck(decibels: -20))
        #expect(ducking.treat(.pause) == [.interrupt, .duck(to: 1, over: 0.4)])
        #expect(ducking.treat(.duck(decibels: -20)) == [.duck(to: 0.1, over: 0.15), .giveBack])
    }

    @Test func afterTheEnd_theMusicIsNotRestored() {
        var ducking = MusicDucking()
        _ = ducking.begin()
        _ = ducking.treat(.pause)
        #expect(ducking.end() == [.notifySession(false)])
        #expect(ducking.treat(nil) == [] && ducking.settle() == [] && ducking.begin() == [] && ducking.end() == [])
    }
}
