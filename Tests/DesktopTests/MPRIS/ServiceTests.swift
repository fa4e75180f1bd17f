// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import Service
import ServiceTesting
import Synchronization
import Testing
import Kernel
import KernelTesting

@testable import Desktop

@Suite struct ServiceTests {
    /// Hangs the bus's thread when that reads the snapshot.
    private final class HangingPlayer: PlayerControl {
        let player = ScriptedPlayer()
        let looks = Mutex(0)
        let hung = Mailbox<Bool>()
        let release = Mailbox<Bool>()

        var snapshot: PlayerSnapshot {
            let isFirst = looks.withLock { looks in
                looks += 1
                return looks == 1
            }
            if !isFirst {
                hung.post(true)
                _ = release.take(until: .now.advanced(bySeconds: 120))
            }
            return player.snapshot
        }

        func perform(
            _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
        ) {}
        func ping(_ answer: @escaping @Sendable () -> Void) -> Bool { false }
        func queueWindow(offset: Int, limit: Int) -> QueueWindow { player.queueWindow(offset: offset, limit: limit) }
        func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? { nil }
    }

    @Test func stop_doesNotWaitForAHangingThread() {
        let player = HangingPlayer()
        player.player.change { $0.settings.remote.mpris = true }
        let server = ServerService(ServerService.Parts(media: ScriptedMediaAccess()))
        let service = MPRISService(
            player: PlayerService("main", player, server: server), directory: "/nowhere",
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        service.start()
        #expect(!player.hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        #expect(returns { service.stop() })
        player.release.post(true)
    }
}
