// SPDX-License-Identifier: Apache-2.0

internal import CPulse
import Kernel

/// One deadline on the mainloop, on CLOCK_MONOTONIC. Mainloop thread only.
final class PulseTimer: CallbackTarget {
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
                    let timer = PulseTimer.from(userdata)
                    timer.deadline = nil
                    timer.fire()
                }, userdata)
        }
    }

    func free() {
        if let event { api.pointee.time_free(event) }
        event = nil
        deadline = nil
    }
}
