// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Playback
import PulseAudioHost
import Testing
import Kernel

/// A server that stands answers nobody, and everybody when it goes on.
@Suite(.serialized)
struct FrozenServerTests {
    /// Its late answers are for a stream that is gone (a crash, mostly seen with MALLOC_PERTURB_ and without tcache).
    @Test func playsAgain_whenTheDaemonWasFrozen() throws {
        let own = try PulseDaemon(sinks: ["one"])
        defer { try? own.remove() }
        let driver = OutputDriver(own)
        defer { driver.output.shutdown() }
        try driver.waitAvailable()
        for number in UInt64(1)...2 {
            let events = driver.count
            let ring = try driver.open(number)
            Noise(seconds: 6).feed(ring, lease: ring.grant().lease)
            driver.output.perform(.stream(.start(), Generation(number)))
            try driver.waitStarted(number, from: events)
            own.signal(SIGSTOP)
            driver.output.perform(.stream(.pause(), Generation(number)))
            // Long enough for the fade and the question that follows it.
            _ = Mailbox<Void>().take(until: .now.advanced(bySeconds: 0.5))
            driver.output.perform(.stream(.close, Generation(number)))
            try driver.wait("closed", from: events, within: 5) {
                if case .closed(Generation(number)) = $0 { true } else { nil }
            }
            _ = ring.cut()
            own.signal(SIGCONT)
        }
        #expect(!driver.all.contains { if case .failed = $0 { true } else { false } })
    }

    /// It makes what it was asked for meanwhile when it goes on; that must not stay.
    @Test func leavesNoStreamBehind_whenTheDaemonWasFrozenTooLong() throws {
        let own = try PulseDaemon(sinks: ["one"])
        defer { try? own.remove() }
        let driver = OutputDriver(own)
        defer { driver.output.shutdown() }
        try driver.waitAvailable()
        own.signal(SIGSTOP)
        let given = try driver.open(1)
        driver.output.perform(.stream(.start(), Generation(1)))
        try driver.wait("failure", within: 10) { if case .failed(Generation(1), .lost) = $0 { true } else { nil } }
        // Asking again would only make it more.
        driver.output.perform(.open(given.format, Generation(2)))
        try driver.wait("failure", within: 2) { if case .failed(Generation(2), .lost) = $0 { true } else { nil } }
        own.signal(SIGCONT)
        try driver.waitClosed(1)
        #expect(own.pactl("list", "short", "sink-inputs").isEmpty)
        let ring = try driver.open(3)
        Noise(seconds: 1).feed(ring, lease: ring.grant().lease)
        let events = driver.count
        driver.output.perform(.stream(.start(), Generation(3)))
        try driver.waitStarted(3, from: events)
        #expect(own.pactl("list", "short", "sink-inputs").split(separator: "\n").count == 1)
    }
}
