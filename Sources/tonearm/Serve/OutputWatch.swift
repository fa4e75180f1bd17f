// SPDX-License-Identifier: Apache-2.0

import Logging
import Playback
import Synchronization

/// Logs once that the sound server is lost, and once that it is back, however often it is tried meanwhile. Main's output
/// stands for all: their connections go to the same server. Any thread.
final class OutputWatch: Sendable {
    private let isThere = Mutex(true)
    private let log: Logger

    init(log: Logger) { self.log = log }

    func receive(_ output: OutputStatus) {
        let isNew = isThere.withLock { isThere in
            defer { isThere = output.availability == .available }
            return isThere != (output.availability == .available)
        }
        guard isNew else { return }
        switch output.availability {
        case .available: log.info("the sound output is back")
        case .unavailable(let reason): log.warning("there is no sound output", metadata: ["reason": "\(reason)"])
        }
    }
}
