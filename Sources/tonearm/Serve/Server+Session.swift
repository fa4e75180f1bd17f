// SPDX-License-Identifier: Apache-2.0

import Logging
import Desktop
import Playback
import Service

extension Server {
    static func session(
        _ players: PlayerGroup, _ output: PlayerOutput, _ store: NamedStore, _ configuration: ServerConfiguration
    ) -> LiveSession {
        LiveSession(
            LiveSession.Environment(
                store: store, otherStreams: output.otherStreams,
                interruptsOthers: configuration.interruptsOthers, notes: store.notes, players: players))
    }

    /// nil where there is no system bus, or it is not to be listened to.
    static func logind(_ configuration: ServerConfiguration, _ session: LiveSession, _ log: Logger) -> LogindService? {
        guard configuration.followsLogind, LogindService.isPossible else { return nil }
        return LogindService(session, log: log)
    }
}
