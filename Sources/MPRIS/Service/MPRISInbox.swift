// SPDX-License-Identifier: Apache-2.0

import Playback
internal import Synchronization
internal import Threading

/// What other threads have for the bus's thread, with a descriptor to wait on beside the bus's own.
final class MPRISInbox: Sendable {
    enum Message: Sendable {
        case answered(UInt64, Result<PlayerSnapshot, PlaybackError>)
        case artwork(ItemID, String?)
        case stop
    }

    private struct State {
        var messages: [Message] = []
        /// The player has changed; however often, it is looked at once.
        var hasChanged = false
        var isRung = false
    }

    private let wake: WakeSignal
    private let state = Mutex(State())

    init() {
        guard let wake = WakeSignal() else { Shortage.endProcess("descriptors", for: "mpris") }
        self.wake = wake
    }

    var descriptor: Int32 { wake.descriptor }

    func post(_ message: Message) { put { $0.messages.append(message) } }
    func changed() { put { $0.hasChanged = true } }

    func take() -> (messages: [Message], hasChanged: Bool) {
        wake.reset()
        return state.withLock { state in
            defer { state = State() }
            return (state.messages, state.hasChanged)
        }
    }

    private func put(_ body: (inout State) -> Void) {
        let rings = state.withLock { state in
            body(&state)
            defer { state.isRung = true }
            return !state.isRung
        }
        if rings { wake.ring() }
    }
}
