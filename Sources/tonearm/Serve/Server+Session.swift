// SPDX-License-Identifier: Apache-2.0

import Playback
import Session

extension Server {
    static func session(
        _ players: PlayerGroup, _ output: any AudioOutput, _ store: NamedStore, _ configuration: ServerConfiguration
    ) -> LiveSession {
        LiveSession(
            LiveSession.Environment(
                store: store, neighbours: output as? any NeighbourWatch,
                interruptsOthers: configuration.interruptsOthers, notes: store.notes, players: players))
    }
}
