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
    @Test func stop_doesNotWaitForAHangingThread() {
        let player = ScriptedPlayer()
        let (hung, release) = (Mailbox<Bool>(), Mailbox<Bool>())
        player.change { $0.settings.remote.mpris = true }
        player.state.withLock { state in
            // Called by the bus's thread.
            state.onWindow = {
                hung.post(true)
                _ = release.take(until: .now.advanced(bySeconds: 120))
            }
        }
        let server = ServerService(ServerService.Parts(media: ScriptedMediaAccess()))
        let service = MPRISService(
            player: PlayerService("main", player, server: server), directory: "/nowhere",
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        service.start()
        #expect(!hung.take(until: .now.advanced(bySeconds: 60)).isEmpty)
        #expect(returns { service.stop() })
        release.post(true)
    }
}
