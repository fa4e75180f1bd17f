// SPDX-License-Identifier: Apache-2.0

import Audio
internal import CPulse
import Playback
import Kernel

/// libpulse's reports on a stream, and our requests to it.
extension PulseStream {
    private static func stream(_ userdata: UnsafeMutableRawPointer?) -> PulseStream {
        let stream = from(userdata)
        stream.owner.check()
        return stream
    }

    func setCallbacks() {
        pa_stream_set_write_callback(
            stream,
            { _, _, userdata in
                let context = userdata!.assumingMemoryBound(to: RenderContext.self)
                if context.pointee.isRunning { context.pointee.serve() }
            }, UnsafeMutableRawPointer(context))
        pa_stream_set_state_callback(stream, { _, userdata in PulseStream.stream(userdata).stateChanged() }, userdata)
        pa_stream_set_suspended_callback(
            stream, { _, userdata in PulseStream.stream(userdata).suspensionChanged() }, userdata)
        pa_stream_set_moved_callback(stream, { _, userdata in PulseStream.stream(userdata).wasMoved() }, userdata)
        pa_stream_set_event_callback(
            stream, { _, name, _, userdata in PulseStream.stream(userdata).eventReceived(name) }, userdata)
        // The write callback cannot reach the stream's object; the callback of its timing request can.
        pa_stream_set_latency_update_callback(
            stream, { _, userdata in PulseStream.stream(userdata).timingUpdated() }, userdata)
    }

    func requestTiming() {
        guard !timing.isPending, let operation = pa_stream_update_timing_info(stream, nil, nil) else { return }
        timing.isPending = true
        pa_operation_unref(operation)
    }

    /// An idle sink is awake when the answer comes. A sink that was suspended before the stream came to it sends no
    /// report.
    private static let suspensionAnswered: pa_stream_success_cb_t = { _, _, userdata in
        let stream = PulseStream.stream(userdata)
        release(stream.timingRequest)
        stream.timingRequest = nil
        stream.suspensionChanged()
    }

    func requestUncork() {
        cancelRequest(\.timingRequest)
        timingRequest = pa_stream_cork(stream, 0, Self.suspensionAnswered, userdata)
    }

    func requestCorkedIndex() {
        cancelRequest(\.timingRequest)
        timingRequest = pa_stream_update_timing_info(
            stream,
            { _, success, userdata in
                let stream = PulseStream.stream(userdata)
                release(stream.timingRequest)
                stream.timingRequest = nil
                stream.suspensionChanged()
                guard let info = pa_stream_get_timing_info(stream.stream), success != 0 else {
                    return stream.corked(at: stream.context.pointee.renderer.cursor)
                }
                stream.corked(at: info.pointee.read_index / FrameCount(stream.context.pointee.frameBytes))
            }, userdata)
    }

    /// Called when the server has created the stream, and when it reports a change. During a call the server mutes a new stream
    /// and requests silence before libpulse knows the stream: the request is lost, the mute is not.
    func requestMuteState() {
        cancelRequest(\.muteRequest)
        guard let server = pa_stream_get_context(stream) else { return }
        muteRequest = pa_context_get_sink_input_info(
            server, pa_stream_get_index(stream),
            { _, info, end, userdata in
                let stream = PulseStream.stream(userdata)
                if let info {
                    stream.isMutedFromStart = (stream.isMutedFromStart ?? true) && info.pointee.mute != 0
                    stream.silencing(isCorkRequested: stream.isCorkRequested, isMuted: info.pointee.mute != 0)
                }
                guard end != 0 else { return }
                release(stream.muteRequest)
                stream.muteRequest = nil
            }, userdata)
    }

    private func cancelRequest(_ path: ReferenceWritableKeyPath<PulseStream, OpaquePointer?>) {
        guard let request = self[keyPath: path] else { return }
        pa_operation_cancel(request)
        pa_operation_unref(request)
        self[keyPath: path] = nil
    }

    /// From here on libpulse has no reference to this object: a frozen server may answer after its end.
    func dropCallbacks() {
        cancelRequest(\.muteRequest)
        cancelRequest(\.timingRequest)
        pa_stream_set_write_callback(stream, nil, nil)
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_set_suspended_callback(stream, nil, nil)
        pa_stream_set_moved_callback(stream, nil, nil)
        pa_stream_set_event_callback(stream, nil, nil)
        pa_stream_set_latency_update_callback(stream, nil, nil)
    }

    private func timingUpdated() {
        timing.isPending = false
        guard let info = pa_stream_get_timing_info(stream)?.pointee else { return }
        let now = MonotonicTime.now
        let rate = Double(sampleRate)
        let readIndex = info.read_index / FrameCount(context.pointee.frameBytes)
        let sinkLatency = Double(info.sink_usec) / 1e6
        let isPlaying = info.playing != 0
        let moves = timing.answered(readIndex: readIndex, isPlaying: isPlaying, sinkLatency: sinkLatency, now)
        context.pointee.anchor.learn(
            sinkLatency, configured: Double(info.configured_sink_usec) / 1e6, taken: Double(timing.framesTaken) / rate)
        if context.pointee.isRunning, !isSuspended {
            let ahead =
                isPlaying
                ? sinkLatency - Double(info.transport_usec) / 1e6
                : timing.secondsUnheard(sinkLatency: sinkLatency, now)
            context.pointee.anchor.update(measured: Double(readIndex) - ahead * rate, isRunning: moves, now)
        }
        tick()
    }

    private func suspensionChanged() {
        let suspended = pa_stream_is_suspended(stream) == 1
        guard suspended != isSuspended else { return }
        isSuspended = suspended
        if case .running = phase {
            freeze()
            if !suspended { timing.woke(.now) }
            // For a sleeping sink the answer contains its read index; for an awake one, whether it reads on.
            requestTiming()
        }
        emit(.suspended(generation, suspended))
        if case .fading = phase, suspended { fadeEnded() }
        tick()
    }

    /// A module of the server requests silence, for a call for example, or revokes that request.
    private func eventReceived(_ name: UnsafePointer<CChar>?) {
        guard let name, isCurrent else { return }
        switch String(cString: name) {
        case PA_STREAM_EVENT_REQUEST_CORK: silencing(isCorkRequested: true, isMuted: isMuted)
        case PA_STREAM_EVENT_REQUEST_UNCORK: silencing(isCorkRequested: false, isMuted: isMuted)
        default: break
        }
    }

    /// A module requests silence and mutes; a person only mutes. Each alone is an interruption; both together are one.
    private func silencing(isCorkRequested: Bool, isMuted: Bool) {
        let old = (isAsked: isSilenceRequested, isSilent: isSilenceRequested || self.isMuted)
        (self.isCorkRequested, self.isMuted) = (isCorkRequested, isMuted)
        let new = (isAsked: isSilenceRequested, isSilent: isSilenceRequested || isMuted)
        guard new != old, isCurrent else { return }
        let isRequest = new.isAsked || (old.isAsked && !new.isSilent)
        emit(isRequest ? .corkRequested(generation, new.isSilent) : .muted(generation, new.isSilent))
    }

    private var isSilenceRequested: Bool { isCorkRequested || (isMuted && isMutedFromStart == true) }

    func describe(role: String) {
        guard isReady else { return }
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, "media.role", role)
        release(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
    }

    func unmute() {
        guard isReady, let server = pa_stream_get_context(stream) else { return }
        release(pa_context_set_sink_input_mute(server, pa_stream_get_index(stream), 0, nil, nil))
        // The request is overridden; a pending answer is older.
        cancelRequest(\.muteRequest)
        (isCorkRequested, isMuted) = (false, false)
    }

    private func wasMoved() {
        timing.moved()
        // The devices first, as in `listed`: who sees that the sound goes on then knows its device.
        session.streamMoved()
        switch phase {
        case .corked:
            // The new sink may have made the server rewind.
            phase = .corking
            requestCorkedIndex()
        case .running, .fading:
            cancelRequest(\.timingRequest)
            timingRequest = pa_stream_update_timing_info(stream, Self.moveAnswered, userdata)
        default: break
        }
        tick()
    }

    /// Reports in any case, so that the player reads the clock: a sink of far higher latency is silent at first.
    private static let moveAnswered: pa_stream_success_cb_t = { stream, success, userdata in
        let moved = PulseStream.stream(userdata)
        suspensionAnswered(stream, success, userdata)
        moved.emit(.suspended(moved.generation, moved.isSuspended))
    }
}
