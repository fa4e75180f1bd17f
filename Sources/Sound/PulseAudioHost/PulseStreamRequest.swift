// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse

/// Requests a playback stream from the server.
enum PulseStreamRequest {
    /// A long queue, with requests for half of it: few wake-ups, and still a sink latency of 20 ms, by PulseAudio's
    /// rule: sink latency = (target - 2 x request) / 2.
    private static let target = 0.3
    private static let request = 0.13

    /// nil if refused at once; the context has the reason. `isPinned`: the stream ends with its device; otherwise the
    /// server would move it to another device before anybody is notified.
    static func connect(
        _ context: OpaquePointer, format: AudioFormat, device: String?, isPinned: Bool, role: String,
        _ options: PulseOptions
    ) -> OpaquePointer? {
        var spec = PulseFormat.sampleSpec(format)
        var map = PulseFormat.channelMap(format.layout)
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, "media.role", role)
        pa_proplist_sets(properties, "media.name", options.title)
        // Otherwise module-stream-restore keeps one device and volume for all streams of a role.
        if let player = options.player {
            pa_proplist_sets(properties, "module-stream-restore.id", "tonearm-player:" + player)
        }
        // Not every server shows a client's properties on its streams.
        pa_proplist_sets(properties, OwnStreams.key, OwnStreams.process)
        guard let stream = pa_stream_new_with_proplist(context, options.title, &spec, &map, properties) else {
            return nil
        }
        let frameBytes = format.channelCount * 4
        func bytes(_ seconds: Double) -> UInt32 { UInt32(Int(format.frames(seconds)) * frameBytes) }
        var attributes = pa_buffer_attr(
            maxlength: UInt32.max, tlength: bytes(target), prebuf: 0, minreq: bytes(request), fragsize: UInt32.max)
        let flags = pa_stream_flags_t(
            rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
                | (isPinned ? PA_STREAM_DONT_MOVE.rawValue : 0))
        guard pa_stream_connect_playback(stream, device, &attributes, flags, nil, nil) == 0 else {
            pa_stream_unref(stream)
            return nil
        }
        return stream
    }
}
