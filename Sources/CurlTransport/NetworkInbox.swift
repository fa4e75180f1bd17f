// SPDX-License-Identifier: Apache-2.0

internal import Media
internal import Synchronization
internal import Threading

/// What other threads ask of the network thread, and the way to wake it.
final class NetworkInbox: Sendable {
    enum Command: Sendable {
        case start(TransferRequest, TransferID, any TransferReceiver)
        case resume(TransferID)
        case cancel(TransferID)
        case call(MonotonicTime, @Sendable () -> Void)
        case stop
    }

    let wake: WakeSignal
    private let commands = Mutex<[Command]>([])

    init() {
        guard let wake = WakeSignal() else { Shortage.endProcess("descriptors", for: "network") }
        self.wake = wake
    }

    func post(_ command: Command) {
        commands.withLock { $0.append(command) }
        wake.ring()
    }

    func take() -> [Command] {
        wake.reset()
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
