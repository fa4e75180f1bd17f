// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse

/// Conversion of formats to and from PulseAudio's types.
enum PulseFormat {
    /// nil for a channel position without a counterpart.
    static func layout(_ map: pa_channel_map) -> ChannelLayout? {
        guard (1...8).contains(map.channels) else { return nil }
        let positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)).map { value in
                named.first { $0.value == value }?.position ?? .auxiliary
            }
        }
        let layout = ChannelLayout(positions: positions)
        var (reported, ours) = (map, channelMap(layout))
        return pa_channel_map_equal(&reported, &ours) != 0 ? layout : nil
    }

    private static let named: [(position: ChannelPosition, value: pa_channel_position_t)] = [
        (.mono, PA_CHANNEL_POSITION_MONO),
        (.frontLeft, PA_CHANNEL_POSITION_FRONT_LEFT), (.frontRight, PA_CHANNEL_POSITION_FRONT_RIGHT),
        (.frontCenter, PA_CHANNEL_POSITION_FRONT_CENTER), (.lowFrequency, PA_CHANNEL_POSITION_LFE),
        (.rearLeft, PA_CHANNEL_POSITION_REAR_LEFT), (.rearRight, PA_CHANNEL_POSITION_REAR_RIGHT),
        (.rearCenter, PA_CHANNEL_POSITION_REAR_CENTER),
        (.sideLeft, PA_CHANNEL_POSITION_SIDE_LEFT), (.sideRight, PA_CHANNEL_POSITION_SIDE_RIGHT),
    ]

    static func sampleSpec(_ format: AudioFormat) -> pa_sample_spec {
        pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(format.sampleRate), channels: UInt8(format.channelCount))
    }

    static func channelMap(_ layout: ChannelLayout) -> pa_channel_map {
        var map = pa_channel_map()
        pa_channel_map_init(&map)
        map.channels = UInt8(layout.positions.count)
        withUnsafeMutableBytes(of: &map.map) { bytes in
            let slots = bytes.bindMemory(to: pa_channel_position_t.self)
            var auxiliary = PA_CHANNEL_POSITION_AUX0.rawValue
            for (channel, position) in layout.positions.enumerated() {
                if let known = named.first(where: { $0.position == position }) {
                    slots[channel] = known.value
                } else {
                    slots[channel] = pa_channel_position_t(auxiliary)
                    auxiliary += 1
                }
            }
        }
        return map
    }
}
