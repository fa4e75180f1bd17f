// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct OutputsCommandTests {
    private typealias Device = OutputsCommand.Answer.Device

    private func device(_ id: String, _ description: String, port: String?) -> Device {
        Device(
            id: id, description: description, state: "idle", available: true, current: false, default: false, bus: nil,
            activePort: port,
            ports: [.init(name: "a", description: "Headphones"), .init(name: "b", description: "Speaker")])
    }

    @Test func port_isNamed_whereDescriptionsAreEqual() {
        let devices = [device("1", "USB", port: "a"), device("2", "USB", port: "b"), device("3", "HDMI", port: "a")]
        #expect(devices.map { $0.name(among: devices) } == ["USB (Headphones)", "USB (Speaker)", "HDMI"])
    }

    @Test func outputWithoutPort_keepsItsDescription() {
        let devices = [device("1", "USB", port: nil), device("2", "USB", port: nil)]
        #expect(devices.map { $0.name(among: devices) } == ["USB", "USB"])
    }

    @Test func missingChoice_isNamedAfterTheOutputs() {
        let message = "The chosen output usb is not there."
        let answer = OutputsCommand.Answer(
            outputs: [device("1", "HDMI", port: nil)], following: "default", message: message)
        #expect(OutputsCommand.text(answer) == "  1  idle  HDMI\n" + message)
    }

    /// A name from the sound server must not steer the terminal.
    @Test func message_isPrintable() {
        let answer = OutputsCommand.Answer(outputs: [], following: "default", message: "us\u{1B}b is not there.")
        #expect(OutputsCommand.text(answer) == "us b is not there.")
    }

    @Test func reason_isGiven_whereThereIsNoOutput() {
        #expect(OutputsCommand.text(.init(outputs: [], following: "default", message: "No device.")) == "No device.")
    }
}
