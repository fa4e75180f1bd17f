// SPDX-License-Identifier: Apache-2.0

import Audio
import Playback
import PulseAudioHost
import Testing
import Kernel

/// Sinks that are suspended, chosen and removed, and a server that dies.
extension PulseAudioOutputTests {
    @Test func reportsWhenTheSinkIsSuspendedAndResumes() throws {
        _ = try play(Noise(seconds: 4, seed: 10).samples, heard: 0.2)
        var events = driver.count
        daemon.pactl("suspend-sink", "spk", "1")
        try driver.waitSuspended(true, from: events)
        #expect(!driver.output.clock().isAdvancing)
        events = driver.count
        daemon.pactl("suspend-sink", "spk", "0")
        try driver.waitSuspended(false, from: events)
        try driver.wait("started", from: events)
        #expect(driver.output.clock().isAdvancing)
    }

    @Test func pausesPromptly_whileTheSinkIsSuspended() throws {
        _ = try play(Noise(seconds: 4, seed: 11).samples, heard: 0.2)
        let events = driver.count
        daemon.pactl("suspend-sink", "spk", "1")
        defer { daemon.pactl("suspend-sink", "spk", "0") }
        try driver.waitSuspended(true, from: events)
        driver.send(.pause())
        try driver.wait("paused", from: events, within: 3)
        driver.send(.close)
        try driver.wait("closed", from: events, within: 3)
    }

    @Test func movesTheStream_toTheChosenDevice() throws {
        _ = try play(Noise(seconds: 4, seed: 12).samples, heard: 0.2)
        let events = driver.count
        driver.output.perform(.select("hp"))
        let devices = try driver.waitDevices(from: events) { $0.current == "hp" }
        #expect(devices.isChosen && devices.devices.count == 2)
        // Once the new sink's latency is known: the player looks whether it sounds there.
        try driver.wait("report of the move", from: events) { if case .suspended(_, false) = $0 { true } else { nil } }
        #expect(daemon.pactl("list", "short", "sink-inputs").contains("\t1\t"))
        let truth = driver.count
        driver.output.perform(.select("nonsense"))
        #expect(try driver.waitDevices(from: truth).current == "hp")
        #expect(driver.output.clock().isAdvancing)
    }

    @Test func continuesOnTheDefaultDevice_whenTheChosenOneIsRemoved() throws {
        let module = daemon.pactl("load-module", "module-null-sink", "sink_name=usb", "format=s16le", "rate=44100")
        let driver = OutputDriver(daemon)
        defer { driver.output.shutdown() }
        driver.output.perform(.select("usb"))
        try driver.waitAvailable()
        _ = try driver.start(Noise(seconds: 4, seed: 14).samples)
        try driver.wait("started")
        _ = try driver.waitDevices { $0.current == "usb" }
        let events = driver.count
        daemon.pactl("unload-module", String(module.prefix { $0.isNumber }))
        let devices = try driver.waitDevices(from: events) { $0.devices.count == 2 }
        #expect(devices.current == "spk" && !devices.isChosen)
        let index = driver.output.clock().ringIndex
        _ = try capture.frames(from: capture.count, count: 8_820, within: 3)
        #expect(driver.output.clock().ringIndex > index + 4_410)
        #expect(!driver.hasFailed)
    }

    /// The player starts the stream before it has read that another one must take its place.
    @Test func silentStream_startsNoMore_whenHeadphonesAreChosen() throws {
        try OutputDriver.with { daemon, driver in
            let capture = try MonitorCapture(daemon, sink: "one")
            defer { capture.stop() }
            driver.feed(Noise(seconds: 1).samples, try driver.open())
            daemon.pactl(
                "load-module", "module-null-sink", "sink_name=hp", "sink_properties=device.form_factor=headphone")
            _ = try driver.waitDevices { $0.devices.contains { $0.id == "hp" && $0.isPrivate } }
            let mark = capture.count
            driver.output.perform(.select("hp"))
            driver.send(.start())
            try driver.wait("displaced")
            let heard = try capture.frames(from: mark, count: 22_050, within: 3)
            #expect(heard.allSatisfy { $0 == .zero })
        }
    }

    @Test func failsAndRecovers_whenTheDaemonDies() throws {
        try OutputDriver.with { daemon, driver in
            let ring = try driver.start(Noise(seconds: 3).samples)
            try driver.wait("started")
            let events = driver.count
            daemon.kill()
            try driver.waitLost(1, from: events)
            let clock = driver.output.clock()
            #expect(!clock.isAdvancing && clock.ringIndex > 0)
            let sentence = try driver.wait("unavailable", from: events) {
                if case .availability(.unavailable(let sentence)) = $0 { sentence } else { nil }
            }.value
            #expect(sentence.contains("/sock"))
            driver.output.perform(.open(ring.format, Generation(2)))
            try driver.waitLost(2, from: events)
            let later = driver.count
            try daemon.start()
            try driver.waitAvailable(from: later)
            _ = try driver.start(Noise(seconds: 1).samples, 3)
            try driver.wait("started", 3, from: later)
        }
    }
}
