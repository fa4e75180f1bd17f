// SPDX-License-Identifier: Apache-2.0

import HTTP
import Testing

@testable import FrontDoor

@Suite struct ConnectionCountTests {
    @Test func connectionsOfOneAddressAreLimited() {
        let count = ConnectionCount(limits: ConnectionLimits(total: 100, perAddress: 3))
        var leases = (0..<3).map { _ in count.admit(.remote("192.0.2.1")) }
        #expect(leases.allSatisfy { $0 != nil })
        #expect(count.admit(.remote("192.0.2.1")) == nil)
        #expect(count.total == 3)
        let other = count.admit(.remote("192.0.2.2"))
        #expect(other != nil)
        // The end of a lease frees its place.
        leases.removeLast()
        let again = count.admit(.remote("192.0.2.1"))
        #expect(again != nil && count.total == 4)
    }

    @Test func loopbackIsLimitedByTheTotalOnly() {
        let count = ConnectionCount(limits: ConnectionLimits(total: 20, perAddress: 3))
        let leases = (0..<20).map { _ in count.admit(.loopback) }
        #expect(leases.allSatisfy { $0 != nil })
        #expect(count.admit(.loopback) == nil)
        #expect(count.admit(.remote("192.0.2.1")) == nil)
    }
}
