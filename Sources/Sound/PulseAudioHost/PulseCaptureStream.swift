// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Service
import Synchronization
import Kernel

/// One recording's stream, on a mainloop thread of its own.
///
/// `@unchecked Sendable` because its mutable state is used on the mainloop's thread only, or under its lock.
final class PulseCaptureStream: CaptureStream, CallbackTarget, @unchecked Sendable {
    /// Seconds of sound in each message of the server: the precision of a pause.
    private static let fragment = 0.02

    private let settings: RecordingSettings
    private let ring: CaptureRing
    private let server: String?
    private let report: @Sendable (CaptureEvent) -> Void
    private let mainloop: OpaquePointer
    private let sources = PulseSources()
    private var context: OpaquePointer?
    private var stream: OpaquePointer?
    private var isPaused = false
    private var hasStarted = false
    private var isOver = false
    private let isClosed = Atomic(false)

    /// nil if there is no mainloop, or no thread for it.
    init?(
        _ settings: RecordingSettings, _ ring: CaptureRing, server: String?,
        report: @escaping @Sendable (CaptureEvent) -> Void
    ) {
        self.settings = settings
        self.ring = ring
        self.server = server
        self.report = report
        guard let mainloop = pa_threaded_mainloop_new() else { return nil }
        self.mainloop = mainloop
        pa_threaded_mainloop_set_name(mainloop, "pulse-capture")
        connect()
        if pa_threaded_mainloop_start(mainloop) != 0 { return nil }
    }

    deinit { close() }

    // MARK: Opening

    private func connect() {
        guard let context = pa_context_new(pa_threaded_mainloop_get_api(mainloop), "Tonearm recorder") else {
            return fail(.failed("libpulse has no context."))
        }
        self.context = context
        pa_context_set_state_callback(
            context, { _, userdata in PulseCaptureStream.from(userdata).contextChanged() }, userdata)
        if pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) != 0 { contextFailed(context) }
    }

    private func contextChanged() {
        guard let context else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            sources.request(context) { [unowned self] in $0 ? listed() : contextFailed(context) }
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: contextFailed(context)
        default: break
        }
    }

    private func contextFailed(_ context: OpaquePointer) {
        fail(.noSource(PulseProblem.connection(pa_context_errno(context), server: server)))
    }

    private func listed() {
        guard let context, stream == nil, !isOver else { return }
        do throws(RecordingError) {
            let source = try sources.chosen(settings.source, preferring: settings.preference)
            var spec = pa_sample_spec(
                format: PA_SAMPLE_FLOAT32LE, rate: UInt32(settings.sampleRate), channels: UInt8(settings.channelCount))
            guard let stream = pa_stream_new(context, "Recording", &spec, nil) else {
                throw .failed("No stream: \(PulseProblem.text(pa_context_errno(context))).")
            }
            self.stream = stream
            pa_stream_set_state_callback(
                stream, { _, userdata in PulseCaptureStream.from(userdata).streamChanged() }, userdata)
            pa_stream_set_read_callback(
                stream, { _, _, userdata in PulseCaptureStream.from(userdata).readable() }, userdata)
            let fragment =
                UInt32(clamping: Double(settings.sampleRate) * Self.fragment) * UInt32(settings.channelCount * 4)
            var buffer = pa_buffer_attr(
                maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max, fragsize: fragment)
            // The server must not move the stream to another source, such as a microphone in another room.
            let flags = pa_stream_flags_t(
                rawValue: PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue)
            guard pa_stream_connect_record(stream, source.id, &buffer, flags) == 0 else {
                throw .failed("No stream: \(PulseProblem.text(pa_context_errno(context))).")
            }
        } catch {
            fail(error)
        }
    }

    private func streamChanged() {
        guard let stream, let context else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            guard !hasStarted else { return }
            hasStarted = true
            report(.started(source: pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""))
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            fail(.failed("The source was removed: \(PulseProblem.text(pa_context_errno(context)))."))
        default: break
        }
    }

    private func fail(_ error: RecordingError) {
        guard !isOver else { return }
        isOver = true
        report(.failed(error))
    }

    // MARK: Sound

    private func readable() {
        let isKept = !isPaused && !isOver
        if readAll(isKept: isKept), isKept { report(.frames) }
    }

    private func readAll(isKept: Bool = true) -> Bool {
        guard let stream else { return false }
        var isAny = false
        while pa_stream_readable_size(stream) > 0 {
            var data: UnsafeRawPointer?
            var length = 0
            guard pa_stream_peek(stream, &data, &length) == 0, length > 0 else { break }
            if isKept { ring.write(data?.assumingMemoryBound(to: Float.self), count: length / 4) }
            pa_stream_drop(stream)
            isAny = true
        }
        return isAny
    }

    // MARK: From the recorder's thread

    func setPaused(_ isPaused: Bool) {
        guard !isClosed.load(ordering: .acquiring) else { return }
        pa_threaded_mainloop_lock(mainloop)
        defer { pa_threaded_mainloop_unlock(mainloop) }
        guard let stream, !isOver, self.isPaused != isPaused else { return }
        if isPaused { _ = readAll() }
        self.isPaused = isPaused
        // Data that the server captured before does not belong to this part.
        if !isPaused { release(pa_stream_flush(stream, nil, nil)) }
        release(pa_stream_cork(stream, isPaused ? 1 : 0, nil, nil))
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pa_threaded_mainloop_lock(mainloop)
        if !isPaused, !isOver { _ = readAll() }
        isOver = true
        pa_threaded_mainloop_unlock(mainloop)
        pa_threaded_mainloop_stop(mainloop)
        if let stream {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_read_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        if let context {
            pa_context_set_state_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        pa_threaded_mainloop_free(mainloop)
    }
}
