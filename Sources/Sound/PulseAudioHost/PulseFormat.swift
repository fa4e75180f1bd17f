// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback

/// Conversion of formats to and from PulseAudio's types.
enum PulseFormat {
    /// The device's own rate, and a layout that suits both.
    static func chosen(for preferred: AudioFormat, at device: OutputDevice) -> AudioFormat {
        AudioFormat(
            sampleRate: min(192_000, max(8_000, device.sampleRate)),
            layout: device.streamLayout(for: preferred.layout))
    }

    /// nil for a channel position without a counterpart.
    static func layout(_ map: pa_channel_map) -> ChannelLayout? {
        guard (1...8).contains(map.channels) else { return nil }
        let positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)).map(position)
        }
        let layout = ChannelLayout(positions: positions)
        var (reported, ours) = (map, channelMap(layout))
        return pa_channel_map_equal(&reported, &ours) != 0 ? layout : nil
    }

    private static func position(_ value: pa_channel_position_t) -> ChannelPosition {
        let named: [ChannelPosition] = [
            .mono, .frontLeft, .frontRight, .frontCenter, .lowFrequency, .rearLeft, .rearRight, .rearCenter, .sideLeft,
            .sideRight,
        ]
        var auxiliaries: Int32 = 0
        return named.first { self.value($0, &auxiliaries) == value } ?? .auxiliary
    }

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
            var auxiliaries: Int32 = 0
            for (channel, position) in layout.positions.enumerated() {
                slots[channel] = value(position, &auxiliaries)
            }
        }
        return map
    }

    private static func value(_ position: ChannelPosition, _ auxiliaries: inout Int32) -> pa_channel_position_t {
        switch position {
        case .mono: return PA_CHANNEL_POSITION_MONO
        case .frontLeft: return PA_CHANNEL_POSITION_FRONT_LEFT
        case .frontRight: return PA_CHANNEL_POSITION_FRONT_RIGHT
        case .frontCenter: return PA_CHANNEL_POSITION_FRONT_CENTER
        case .lowFrequency: return PA_CHANNEL_POSITION_LFE
        case .rearLeft: return PA_CHANNEL_POSITION_REAR_LEFT
        case .rearRight: return PA_CHANNEL_POSITION_REAR_RIGHT
        case .rearCenter: return PA_CHANNEL_POSITION_REAR_CENTER
        case .sideLeft: return PA_CHANNEL_POSITION_SIDE_LEFT
        case .sideRight: return PA_CHANNEL_POSITION_SIDE_RIGHT
        case .auxiliary:
            auxiliaries += 1
            return pa_channel_position_t(PA_CHANNEL_POSITION_AUX0.rawValue + auxiliaries - 1)
        }
    }
}
