// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct SaveLedgerTests {
    @Test func placesAreOwed_whenTheStoreHangs_andSavedOnceItGoesOn() {
        var ledger = SaveLedger()
        for _ in 0..<SaveLedger.placesUnderWay {
            let admits = ledger.admits([.position(nil)])
            #expect(admits)
            _ = ledger.issue()
        }
        let (admits, owes) = (ledger.admits([.position(nil)]), ledger.takeOwedPlace())
        #expect(!admits && !owes)
        for number in 1...SaveLedger.placesUnderWay { _ = ledger.settle(number, failed: false) }
        let (first, second) = (ledger.takeOwedPlace(), ledger.takeOwedPlace())
        #expect(first && !second)
    }

    @Test func editsAlwaysGoToTheStore() {
        var ledger = SaveLedger()
        for _ in 0..<100 { _ = ledger.issue() }
        let admits = ledger.admits([.settings(PlayerSettings()), .position(nil)])
        #expect(admits)
    }

    @Test func troubleIsToldEachTime_itsEndOnce() {
        var ledger = SaveLedger()
        let turns = [false, true, true, false, false].enumerated().map { ledger.settle(UInt64($0) + 1, failed: $1) }
        #expect(turns == [.unchanged, .trouble, .trouble, .recovered, .unchanged])
    }
}
