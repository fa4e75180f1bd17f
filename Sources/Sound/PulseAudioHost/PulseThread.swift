// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Kernel
import Playback
import Service

/// Commands from the handle to the mainloop thread, in order.
enum PulseCommand: Sendable {
    case output(OutputCommand)
    case watchOtherStreams(@Sendable (OtherStreams?) -> Void)
    case changeOtherStreams([OtherStreamChange])
    /// Answered through the mailbox when all sound has ended.
    case shutdown(Mailbox<Bool>)
}

/// libpulse's mainloop on its thread, with a queue of commands into it.
///
/// Commands are performed between libpulse's own callbacks, so callers never wait for
/// the mainloop's lock.
///
/// `@unchecked Sendable` because the pointers never change and are used on the mainloop thread, or under its lock
/// before it starts and after it has stopped.
final class PulseThread: @unchecked Sendable {
    let mainloop: OpaquePointer
    let api: UnsafeMutablePointer<pa_mainloop_api>
    private let commands = Mailbox<PulseCommand>(descriptorFor: "pulse")
    private var wakeEvent: OpaquePointer?
    /// Connected before the thread starts, used on it, torn down after it was joined.
    private var session: PulseSession?

    init() {
        mainloop = pa_threaded_mainloop_new()!
        api = pa_threaded_mainloop_get_api(mainloop)!
    }

    func start(_ session: PulseSession) {
        self.session = session
        pa_threaded_mainloop_set_name(mainloop, "pulse")
        wakeEvent = api.pointee.io_new(
            api, commands.descriptor, PA_IO_EVENT_INPUT,
            { _, _, _, _, userdata in
                Unmanaged<PulseThread>.fromOpaque(userdata!).takeUnretainedValue().performCommands()
            }, Unmanaged.passUnretained(self).toOpaque())
        session.connect()
        let code = pa_threaded_mainloop_start(mainloop)
        precondition(code == 0, "pa_threaded_mainloop_start failed")
    }

    /// From any thread.
    func post(_ command: PulseCommand) { commands.post(command) }

    /// From any thread, without blocking: `framesArrived` is called soon on the mainloop thread.
    func wakeUp() { commands.ring() }

    private func performCommands() {
        for command in commands.take() { session?.perform(command) }
        session?.framesArrived()
    }

    /// Joins the thread and frees everything. Once, not from the thread.
    func stop() {
        pa_threaded_mainloop_stop(mainloop)
        session?.tearDown()
        if let wakeEvent { api.pointee.io_free(wakeEvent) }
        session = nil
        pa_threaded_mainloop_free(mainloop)
    }
}

/// Releases an operation that nobody waits for or withdraws.
func release(_ operation: OpaquePointer?) {
    if let operation { pa_operation_unref(operation) }
}

/// One deadline on the mainloop, on CLOCK_MONOTONIC. Mainloop thread only.
final class PulseTimer {
    private let context: OpaquePointer
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private let fire: () -> Void
    private var event: OpaquePointer?
    private var deadline: MonotonicTime?

    init(_ context: OpaquePointer, _ api: UnsafeMutablePointer<pa_mainloop_api>, fire: @escaping () -> Void) {
        self.context = context
        self.api = api
        self.fire = fire
    }

    /// Replaces the deadline; nil disarms.
    func arm(_ deadline: MonotonicTime?) {
        guard deadline != self.deadline else { return }
        self.deadline = deadline
        let usec = deadline.map { pa_usec_t(max(0, $0.nanoseconds / 1000 + 1)) } ?? pa_usec_t.max
        if let event {
            pa_context_rttime_restart(context, event, usec)
        } else if deadline != nil {
            event = pa_context_rttime_new(
                context, usec,
                { _, _, _, userdata in
                    let timer = Unmanaged<PulseTimer>.fromOpaque(userdata!).takeUnretainedValue()
                    timer.deadline = nil
                    timer.fire()
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    func free() {
        if let event { api.pointee.time_free(event) }
        event = nil
        deadline = nil
    }
}

/// Lists the server's objects, one listing at a time; a change during a listing causes another one.
enum Listings {
    case none, running, outdated

    /// False if a listing is running.
    mutating func begin() -> Bool {
        defer { self = self == .none ? .running : .outdated }
        return self == .none
    }

    /// True if another listing is needed.
    mutating func end() -> Bool {
        defer { self = .none }
        return self == .outdated
    }
}
