// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Glibc
import Playback
import Threading

/// A look at the sound server from outside, for explaining trouble. Connects, asks and leaves; prints nothing.
public struct PulseAudioProbe: Hashable, Sendable {
    public struct Sink: Hashable, Sendable {
        public var name: String
        public var description: String
        /// running, idle, suspended or unknown.
        public var state: String
    }

    /// Where the server is looked for.
    public var address = ""
    /// `PULSE_SERVER`, nil when not set.
    public var serverVariable: String?
    public var runtimeDirectory: String?
    public var runtimeDirectoryExists = false
    public var socketExists = false
    /// nil when there is no socket to ask.
    public var socketOwner: UInt32?
    public var userID: UInt32 = 0
    public var cookiePath = ""
    public var cookieExists = false
    public var cookieIsReadable = false
    public var isReachable = false
    /// Why not; nil when reachable.
    public var problem: String?
    public var serverName: String?
    public var serverVersion: String?
    public var defaultSink: Sink?

    /// Blocks until the server has answered or `seconds` have passed.
    public static func run(server: String? = nil, within seconds: Double = 3) -> PulseAudioProbe {
        var probe = PulseAudioProbe()
        let address = PulseAddress(server: server)
        probe.lookAround(address)
        ProbeConversation(address: address, server: server).hold(into: &probe, until: .now.advanced(bySeconds: seconds))
        return probe
    }

    private mutating func lookAround(_ address: PulseAddress) {
        self.address = address.description
        serverVariable = PulseAddress.environment("PULSE_SERVER")
        userID = getuid()
        runtimeDirectory = PulseAddress.environment("XDG_RUNTIME_DIR")
        runtimeDirectoryExists = runtimeDirectory.map { access($0, F_OK) == 0 } ?? false
        if let path = address.socketPath {
            var status = stat()
            socketExists = stat(path, &status) == 0
            if socketExists { socketOwner = status.st_uid }
        }
        let home = PulseAddress.environment("HOME") ?? ""
        let configuration = PulseAddress.environment("XDG_CONFIG_HOME") ?? "\(home)/.config"
        let places = ["\(configuration)/pulse/cookie", "\(home)/.pulse-cookie"]
        cookiePath =
            PulseAddress.environment("PULSE_COOKIE") ?? places.first { access($0, F_OK) == 0 } ?? places[0]
        cookieExists = access(cookiePath, F_OK) == 0
        cookieIsReadable = access(cookiePath, R_OK) == 0
    }
}

/// The connection of one probe, on the caller's thread with a plain mainloop.
private struct ProbeConversation {
    var address: PulseAddress
    var server: String?

    /// What the callbacks fill in.
    private final class Answers {
        var name: String?
        var version: String?
        var defaultName: String?
        var sink: PulseAudioProbe.Sink?
        var isDone = false
    }

    func hold(into probe: inout PulseAudioProbe, until deadline: MonotonicTime) {
        guard let loop = pa_mainloop_new() else { return }
        defer { pa_mainloop_free(loop) }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "Tonearm doctor") else { return }
        defer { pa_context_unref(context) }
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 else {
            probe.problem = PulseProblem.connection(pa_context_errno(context), address: address)
            return
        }
        defer { pa_context_disconnect(context) }
        iterate(loop, until: deadline) { pa_context_get_state(context).rawValue >= PA_CONTEXT_READY.rawValue }
        guard pa_context_get_state(context) == PA_CONTEXT_READY else {
            let hasFailed = pa_context_get_state(context).rawValue > PA_CONTEXT_READY.rawValue
            let code = hasFailed ? pa_context_errno(context) : Int32(PA_ERR_TIMEOUT.rawValue)
            probe.problem = PulseProblem.connection(code, address: address)
            return
        }
        probe.isReachable = true
        let answers = Answers()
        ask(context, answers)
        iterate(loop, until: deadline) { answers.isDone }
        probe.serverName = answers.name
        probe.serverVersion = answers.version
        probe.defaultSink = answers.sink
        if !answers.isDone { probe.problem = PulseProblem.connection(Int32(PA_ERR_TIMEOUT.rawValue), address: address) }
    }

    private func ask(_ context: OpaquePointer, _ answers: Answers) {
        let pointer = Unmanaged.passUnretained(answers).toOpaque()
        let server = pa_context_get_server_info(
            context,
            { _, info, userdata in
                guard let info = info?.pointee else { return }
                let answers = Unmanaged<Answers>.fromOpaque(userdata!).takeUnretainedValue()
                answers.name = info.server_name.map { String(cString: $0) }
                answers.version = info.server_version.map { String(cString: $0) }
                answers.defaultName = info.default_sink_name.map { String(cString: $0) }
            }, pointer)
        if let server { pa_operation_unref(server) }
        let sinks = pa_context_get_sink_info_list(
            context,
            { _, info, end, userdata in
                let answers = Unmanaged<Answers>.fromOpaque(userdata!).takeUnretainedValue()
                if end != 0 { answers.isDone = true }
                guard end == 0, let info else { return }
                let device = OutputDevice(info.pointee)
                if device.id == answers.defaultName {
                    answers.sink = .init(name: device.id, description: device.description, state: device.state.rawValue)
                }
            }, pointer)
        if let sinks { pa_operation_unref(sinks) }
    }

    private func iterate(_ loop: OpaquePointer, until deadline: MonotonicTime, _ isDone: () -> Bool) {
        while !isDone() {
            let left = deadline.seconds(since: .now)
            guard left > 0, pa_mainloop_prepare(loop, Int32(left * 1e6)) >= 0, pa_mainloop_poll(loop) >= 0,
                pa_mainloop_dispatch(loop) >= 0
            else { return }
        }
    }
}
