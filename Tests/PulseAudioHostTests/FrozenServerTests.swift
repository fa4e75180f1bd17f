// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Playback
import PulseAudioHost
import Testing
import Kernel

/// A frozen server answers nothing; when it continues, it answers everything.
@Suite(.serialized)
struct FrozenServerTests {
    /// Late answers concern a stream that is gone (once a crash, mostly with MALLOC_PERTURB_ and without tcache).
    @Test func playsAgain_whenTheDaemonWasFrozen() throws {
        try OutputDriver.with { daemon, driver in
            for number in UInt64(1)...2 {
                let events = driver.count
                let ring = try driver.start(Noise(seconds: 6).samples, number)
                try driver.wait("started", number, from: events)
                daemon.signal(SIGSTOP)
                driver.send(.pause(), number)
                // Long enough for the fade and the request that follows it.
                _ = Mailbox<Void>().take(until: .now.advanced(bySeconds: 0.5))
                driver.send(.close, number)
                try driver.wait("closed", number, from: events)
                _ = ring.cut()
                daemon.signal(SIGCONT)
            }
            #expect(!driver.hasFailed)
        }
    }

    /// When the server continues, it creates the requested stream, which must not remain.
    @Test func leavesNoStreamBehind_whenTheDaemonWasFrozenTooLong() throws {
        try OutputDriver.with { daemon, driver in
            daemon.signal(SIGSTOP)
            let given = try driver.open()
            driver.send(.start())
            try driver.waitLost(1, within: 10)
            // The output does not request another stream meanwhile.
            driver.output.perform(.open(given.format, Generation(2)))
            try driver.waitLost(2, within: 2)
            var events = driver.count
            daemon.signal(SIGCONT)
            try driver.wait("closed", from: events)
            #expect(daemon.pactl("list", "short", "sink-inputs").isEmpty)
            events = driver.count
            _ = try driver.start(Noise(seconds: 1).samples, 3)
            try driver.wait("started", 3, from: events)
            #expect(daemon.pactl("list", "short", "sink-inputs").split(separator: "\n").count == 1)
        }
    }
}
