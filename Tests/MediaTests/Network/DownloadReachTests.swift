// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Media

@Suite struct DownloadReachTests {
    @Test func aRedirectMayNotLeadToAMorePrivateZone() throws {
        var rig = DownloadRig()
        #expect(rig.requests.last?.reach == .anywhere)
        rig.head(302, [("Location", "http://other.example/")], zone: .private)
        #expect(rig.requests.last?.reach == .private)
        rig.head(302, [("Location", "http://10.0.0.1/")], zone: .public)
        #expect(rig.requests.last?.reach == .public)
        rig.end(.privateAddress("10.0.0.1 has an address of a private network."))
        #expect(rig.download.failure?.code == .privateAddress)
        #expect(rig.download.failure?.message.contains("a.mp3") == true)
    }

    /// A name may resolve to another address by then.
    @Test func laterRequestsMayNotEither() throws {
        var rig = DownloadRig()
        rig.part(from: 0, of: 1 << 24, zone: .public)
        #expect(rig.download.resource?.reach == .public)
        _ = try rig.read(at: 12 << 20)
        #expect(rig.requests.count == 2)
        #expect(rig.requests.last?.reach == .public)
    }

    /// A private server that leads to a public one is asked again when that one fails.
    @Test func aRetryMayStartAtThePrivateServerAgain() {
        var rig = DownloadRig()
        rig.head(302, [("Location", "http://other.example/")], zone: .private)
        rig.end(.transient("It cannot be reached."))
        rig.pass(2)
        #expect(rig.requests.last?.address == DownloadRig.address)
        #expect(rig.requests.last?.reach == .private)
    }

    @Test func whatIsGivenIsNeverWidened() {
        var rig = DownloadRig(reach: .public)
        rig.head(302, [("Location", "http://other.example/")], zone: .public)
        #expect(rig.requests.map(\.reach) == [.public, .public])
    }
}
