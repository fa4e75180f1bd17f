// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct SoundAdviceTests {
    @Test(arguments: ["unix:/absent/sock", "{0123abc}unix:/absent/sock", "/absent/sock tcp:other"])
    func socket_isLookedForWhereLibpulseDoes(server: String) {
        let advice = SoundAdvice(["PULSE_SERVER": server]).unreachable()
        #expect(advice.contains { $0.hasPrefix("there is no socket /absent/sock:") })
    }

    /// A restarted sound server makes a new socket.
    @Test func inAContainer_theDirectoryOfTheSocketIsMounted() {
        let advice = SoundAdvice(["container": "podman"]).unreachable()
        #expect(advice.contains { $0.contains(" -v /run/user/1000/pulse:/run/pulse:ro ") })
    }

    @Test func withoutServerVariable_theRuntimeDirectoryIsMeant() {
        let advice = SoundAdvice(["XDG_RUNTIME_DIR": "/absent"])
        #expect(advice.place == " at /absent/pulse/native")
        #expect(advice.unreachable().contains { $0.hasPrefix("there is no socket /absent/pulse/native:") })
    }
}
