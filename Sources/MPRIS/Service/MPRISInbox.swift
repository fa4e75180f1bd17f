// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
import Playback
internal import Synchronization

/// What other threads have for the bus's thread, with a descriptor to wait on beside the bus's own.
///
/// `@unchecked Sendable` because the descriptor never changes.
final class MPRISInbox: @unchecked Sendable {
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

    let descriptor: Int32
    private let state = Mutex(State())

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "eventfd failed with \(errno)")
    }

    deinit { close(descriptor) }

    func post(_ message: Message) { put { $0.messages.append(message) } }
    func changed() { put { $0.hasChanged = true } }

    func take() -> (messages: [Message], hasChanged: Bool) {
        var rings: UInt64 = 0
        _ = read(descriptor, &rings, 8)
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
        guard rings else { return }
        var one: UInt64 = 1
        // The counter cannot be full, so the write cannot fail.
        _ = write(descriptor, &one, 8)
    }
}
