// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@Suite(.serialized) struct PulseDevicesTests {
    @Test func sinksOverTheNetwork_areTold() throws {
        let daemon = try PulseDaemon(sinks: ["spk", "raop_output.box", "tunnel-sink.there"])
        defer { try? daemon.remove() }
        let driver = OutputDriver(daemon)
        defer { driver.output.shutdown() }
        let devices = try driver.wait("three devices", within: 10) { event -> [OutputDevice]? in
            guard case .devices(let all) = event, all.devices.count == 3 else { return nil }
            return all.devices
        }.value
        #expect(Set(devices.filter(\.isNetwork).map(\.id)) == ["raop_output.box", "tunnel-sink.there"])
    }
}
