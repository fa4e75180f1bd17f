// SPDX-License-Identifier: Apache-2.0

import Logging

extension Server {
    /// At the end, when no client is left to be told.
    @Sendable static func fileIsIncomplete(_ failure: String) {
        Logger(label: "tonearm") { StreamLogHandler.standardError(label: $0) }.error("\(failure)")
    }
}
