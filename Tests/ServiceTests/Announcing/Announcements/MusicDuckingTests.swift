// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Service

@Suite struct MusicDuckingTests {
    @Test func betweenTwo_theMusicStaysDown_andTheSessionIsToldOnce() {
        var care = MusicDucking()
        #expect(care.begin() == [.notifySession(true)])
        #expect(care.treat(.duck(decibels: -20)) == [.duck(to: 0.1, over: 0.15)])
        #expect(care.begin() == [] && care.treat(.duck(decibels: -20)) == [])
        #expect(care.treat(nil) == [.duck(to: 1, over: 0.4)])
        #expect(care.settle() == [.notifySession(false)] && care.settle() == [])
    }

    @Test func thePauseIsOver_onlyWhenTheMusicHasFollowed() {
        var care = MusicDucking()
        _ = care.begin()
        #expect(care.treat(.pause) == [.interrupt])
        #expect(care.treat(nil) == [.giveBack] && care.settle() == [])
        // Another one comes before it has.
        #expect(care.begin() == [] && care.treat(.pause) == [.interrupt] && care.treat(nil) == [.giveBack])
        care.returned()
        #expect(care.settle() == [])
        care.returned()
        #expect(care.settle() == [.notifySession(false)])
    }

    @Test func fromOneTreatmentToTheOther_bothAreTakenBack() {
        var care = MusicDucking()
        _ = care.begin()
        _ = care.treat(.duck(decibels: -20))
        #expect(care.treat(.pause) == [.interrupt, .duck(to: 1, over: 0.4)])
        #expect(care.treat(.duck(decibels: -20)) == [.duck(to: 0.1, over: 0.15), .giveBack])
    }

    @Test func afterTheEnd_nothingIsGivenBack() {
        var care = MusicDucking()
        _ = care.begin()
        _ = care.treat(.pause)
        #expect(care.end() == [.notifySession(false)])
        #expect(care.treat(nil) == [] && care.settle() == [] && care.begin() == [] && care.end() == [])
    }
}
