// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PulseAudioHost
import Testing
import Kernel

/// Sinks that sleep, are chosen, go, and come back; and the server that dies.
extension PulseAudioOutputTests {
    @Test func saysWhenTheSinkSleepsAndWakes() throws {
        _ = try play(Noise(seconds: 4, seed: 10), driver, 1, heard: 0.2)
        var events = driver.count
        daemon.pactl("suspend-sink", "spk", "1")
        try driver.wait("suspended", from: events) { if case .suspended(_, true) = $0 { true } else { nil } }
        let clock = driver.output.clock()
        #expect(!clock.isAdvancing)
        events = driver.count
        daemon.pactl("suspend-sink", "spk", "0")
        try driver.wait("woken", from: events) { if case .suspended(_, false) = $0 { true } else { nil } }
        try driver.waitStarted(1, from: events)
        #expect(driver.output.clock().isAdvancing)
    }

    @Test func pausesPromptly_whileTheSinkSleeps() throws {
        _ = try play(Noise(seconds: 4, seed: 11), driver, 1, heard: 0.2)
        let events = driver.count
        daemon.pactl("suspend-sink", "spk", "1")
        defer { daemon.pactl("suspend-sink", "spk", "0") }
        try driver.wait("suspended", from: events) { if case .suspended(_, true) = $0 { true } else { nil } }
        driver.output.perform(.stream(.pause(), Generation(1)))
        try driver.waitPaused(1, from: events)
        driver.output.perform(.stream(.close, Generation(1)))
        try driver.waitClosed(1, from: events)
    }

    @Test func movesTheStream_toTheChosenDevice() throws {
        _ = try play(Noise(seconds: 4, seed: 12), driver, 1, heard: 0.2)
        let events = driver.count
        driver.output.perform(.select("hp"))
        let devices = try driver.wait("devices", from: events) {
            if case .devices(let devices) = $0, devices.current == "hp" { devices } else { nil }
        }.value
        #expect(devices.isChosen && devices.devices.count == 2)
        #expect(daemon.pactl("list", "short", "sink-inputs").contains("\t1\t"))
        let truth = driver.count
        driver.output.perform(.select("nonsense"))
        let unchanged = try driver.wait("devices", from: truth) {
            if case .devices(let devices) = $0 { devices } else { nil }
        }.value
        #expect(unchanged.current == "hp")
        #expect(driver.output.clock().isAdvancing)
    }

    @Test func goesOnAtTheDefaultDevice_whenTheChosenOneGoes() throws {
        let module = daemon.pactl("load-module", "module-null-sink", "sink_name=usb", "format=s16le", "rate=44100")
        let driver = OutputDriver(daemon)
        defer { driver.output.shutdown() }
        driver.output.perform(.select("usb"))
        try driver.waitAvailable()
        let ring = try driver.open(1)
        Noise(seconds: 4, seed: 14).feed(ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(1)))
        try driver.waitStarted(1, from: 0)
        try driver.wait("choice") { if case .devices(let devices) = $0, devices.current == "usb" { true } else { nil } }
        let events = driver.count
        daemon.pactl("unload-module", String(module.prefix { $0.isNumber }))
        let devices = try driver.wait("devices", from: events) {
            if case .devices(let devices) = $0, devices.devices.count == 2 { devices } else { nil }
        }.value
        #expect(devices.current == "spk" && !devices.isChosen)
        let index = driver.output.clock().ringIndex
        _ = try capture.frames(from: capture.count, count: 8_820, within: 3)
        #expect(driver.output.clock().ringIndex > index + 4_410)
        #expect(!driver.all.contains { if case .failed = $0 { true } else { false } })
    }

    @Test func failsAndReturns_whenTheDaemonDies() throws {
        let own = try PulseDaemon(sinks: ["one"])
        defer { try? own.remove() }
        let driver = OutputDriver(own)
        defer { driver.output.shutdown() }
        try driver.waitAvailable()
        let ring = try driver.open(1)
        Noise(seconds: 3).feed(ring, lease: ring.grant().lease)
        driver.output.perform(.stream(.start(), Generation(1)))
        try driver.waitStarted(1, from: 0)
        let events = driver.count
        own.kill()
        try driver.wait("lost", from: events) { if case .failed(_, .lost) = $0 { true } else { nil } }
        let clock = driver.output.clock()
        #expect(!clock.isAdvancing && clock.ringIndex > 0)
        let sentence = try driver.wait("unavailable", from: events) {
            if case .availability(.unavailable(let sentence)) = $0 { sentence } else { nil }
        }.value
        #expect(sentence.contains("/sock"))
        driver.output.perform(.open(ring.format, Generation(2)))
        try driver.wait("refusal", from: events) { if case .failed(Generation(2), .lost) = $0 { true } else { nil } }
        let later = driver.count
        try own.start()
        try driver.wait("availability", from: later, within: 5) {
            if case .availability(.available) = $0 { true } else { nil }
        }
        let again = try driver.open(3)
        Noise(seconds: 1).feed(again, lease: again.grant().lease)
        driver.output.perform(.stream(.start(), Generation(3)))
        try driver.waitStarted(3, from: later)
    }
}
