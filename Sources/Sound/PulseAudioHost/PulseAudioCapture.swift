// SPDX-License-Identifier: Apache-2.0

internal import CPulse
public import Service
import Kernel

/// Recording from PulseAudio's sources (or PipeWire's). Each recording has its own connection and mainloop, so that
/// nothing runs without a recording, and the player is not disturbed.
public final class PulseAudioCapture: AudioCapture {
    private let server: String?

    /// `server` as in `PULSE_SERVER`; nil: the server of the environment and the client configuration.
    public init(server: String? = nil) { self.server = server }

    public func open(
        _ settings: RecordingSettings, into ring: CaptureRing, report: @escaping @Sendable (CaptureEvent) -> Void
    ) -> (any CaptureStream)? {
        let stream = PulseCaptureStream(settings, ring, server: server, report: report)
        if stream == nil { report(.failed(.failed("The machine lets the server have no more threads or files."))) }
        return stream
    }

    public func sources() throws(RecordingError) -> [CaptureSource] { try sources(connecting: 3, answering: 3) }

    /// Time limits in seconds; `isReached`: the connection is ready, and the sources are not requested yet.
    func sources(
        connecting: Double, answering: Double, isReached: () -> Void = {}
    ) throws(RecordingError) -> [CaptureSource] {
        guard let loop = pa_mainloop_new() else { throw .failed("libpulse has no mainloop.") }
        defer { pa_mainloop_free(loop) }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "Tonearm") else {
            throw .failed("libpulse has no context.")
        }
        defer {
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        func iterate(_ seconds: Double, until isDone: () -> Bool) {
            let deadline = MonotonicTime.now.advanced(bySeconds: seconds)
            while !isDone(), deadline > .now {
                let left = Int32(clamping: max(0, deadline.seconds(since: .now)) * 1e6)
                guard pa_mainloop_prepare(loop, left) >= 0, pa_mainloop_poll(loop) >= 0, pa_mainloop_dispatch(loop) >= 0
                else { return }
            }
        }
        if pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 {
            iterate(connecting) { pa_context_get_state(context).rawValue >= PA_CONTEXT_READY.rawValue }
        }
        guard pa_context_get_state(context) == PA_CONTEXT_READY else {
            throw .noSource(PulseProblem.connection(pa_context_errno(context), server: server))
        }
        isReached()
        let sources = PulseSources()
        sources.request(context) { _ in }
        iterate(answering) { sources.isComplete != nil }
        guard sources.isComplete == true else {
            let isLate = sources.isComplete == nil && pa_context_get_state(context) == PA_CONTEXT_READY
            let code = isLate ? Int32(PA_ERR_TIMEOUT.rawValue) : pa_context_errno(context)
            throw .noSource(PulseProblem.connection(code, server: server))
        }
        return sources.list
    }
}

/// The sources as the server reports them, and the choice among them.
final class PulseSources: CallbackTarget {
    private(set) var list: [CaptureSource] = []
    /// nil until the server has answered; false if it refused, or has not answered for libpulse's 30 s.
    private(set) var isComplete: Bool?
    private var hasServer = false
    private var defaultName: String?
    private var done: (Bool) -> Void = { _ in }

    /// `done` receives `isComplete` on the mainloop's thread; this object must live until then.
    func request(_ context: OpaquePointer, done: @escaping (Bool) -> Void) {
        self.done = done
        release(
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    guard let info else { return }
                    let sources = PulseSources.from(userdata)
                    sources.hasServer = true
                    sources.defaultName = info.pointee.default_source_name.map { String(cString: $0) }
                }, userdata))
        release(
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    let sources = PulseSources.from(userdata)
                    if end != 0 { sources.finish(end > 0) } else if let info { sources.add(info.pointee) }
                }, userdata))
    }

    private func add(_ info: pa_source_info) {
        let id = String(cString: info.name)
        list.append(
            CaptureSource(
                id: id, description: info.description.map { String(cString: $0) } ?? id,
                isMonitor: info.monitor_of_sink != UInt32.max, isDefault: id == defaultName,
                isHeadset: ["headset", "hands-free", "handset"].contains(
                    property("device.form_factor", of: info.proplist))))
    }

    private func finish(_ hasList: Bool) {
        let isComplete = hasList && hasServer
        self.isComplete = isComplete
        done(isComplete)
    }

    /// `wanted`, else the preferred source, else the default, else any. A monitor only if it is named, as it records
    /// the music instead of the room.
    func chosen(_ wanted: String?, preferring preference: SourcePreference) throws(RecordingError) -> CaptureSource {
        if let wanted {
            guard let source = list.first(where: { $0.id == wanted }) else {
                throw .unknownSource("There is no source \(wanted.prefix(100)).")
            }
            return source
        }
        let microphones = list.filter { !$0.isMonitor }
        let headsets = preference == .headset ? microphones.filter(\.isHeadset) : []
        guard
            let source = headsets.first(where: \.isDefault) ?? headsets.first ?? microphones.first(where: \.isDefault)
                ?? microphones.first
        else {
            throw .noSource("The sound server has no source to record from.")
        }
        return source
    }
}
