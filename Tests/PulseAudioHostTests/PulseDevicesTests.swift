// SPDX-License-Identifier: Apache-2.0

import Playback
import Testing

@Suite(.serialized) struct PulseDevicesTests {
    @Test func networkSinks_areMarked() throws {
        try OutputDriver.with(sinks: ["spk", "raop_output.box", "tunnel-sink.there"]) { _, driver in
            let devices = try driver.waitDevices(within: 10) { $0.devices.count == 3 }.devices
            #expect(Set(devices.filter(\.isNetwork).map(\.id)) == ["raop_output.box", "tunnel-sink.there"])
        }
    }
}
