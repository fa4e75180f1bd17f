// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct ServerChecksTests {
    @Test(arguments: [true, false])
    func otherSoundServer_isAdvised_onlyIfItWorks(worksHere: Bool) throws {
        let server = ServerClient(address: try .find("http://127.0.0.1:1", [:]), token: nil)
        let advice = ServerChecks.noOutput(of: server, worksHere: worksHere).advice
        #expect(advice.contains { $0.contains("PULSE_SERVER") } == worksHere)
    }
}
