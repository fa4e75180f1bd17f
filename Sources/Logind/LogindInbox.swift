// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Threading

/// What other threads have to say to the one that listens to logind.
final class LogindInbox: Sendable {
    enum Message: Sendable {
        /// The players have followed: the machine may sleep.
        case silent
        case stop
    }

    private let wake: WakeSignal
    private let said = Mutex<Set<Message>>([])

    init() {
        guard let wake = WakeSignal() else { Shortage.endProcess("descriptors", for: "logind") }
        self.wake = wake
    }

    var descriptor: Int32 { wake.descriptor }

    func post(_ message: Message) {
        said.withLock { _ = $0.insert(message) }
        wake.ring()
    }

    func take() -> Set<Message> {
        wake.reset()
        return said.withLock { said in
            defer { said = [] }
            return said
        }
    }
}
