// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

@Suite struct SaveLedgerTests {
    @Test func positionsAreOwed_whenTheStoreHangs_andSavedOnceItGoesOn() {
        var ledger = SaveLedger()
        for _ in 0..<SaveLedger.maximumPositions {
            let admits = ledger.admits([.position(nil)])
            #expect(admits)
            _ = ledger.issue()
        }
        let (admits, owes) = (ledger.admits([.position(nil)]), ledger.takeOwedPosition())
        #expect(!admits && !owes)
        for number in 1...SaveLedger.maximumPositions { ledger.done = number }
        let (first, second) = (ledger.takeOwedPosition(), ledger.takeOwedPosition())
        #expect(first && !second)
    }

    @Test func editsAlwaysGoToTheStore() {
        var ledger = SaveLedger()
        for _ in 0..<100 { _ = ledger.issue() }
        let admits = ledger.admits([.settings(PlayerSettings()), .position(nil)])
        #expect(admits)
    }
}
