// SPDX-License-Identifier: Apache-2.0

internal import HTTP
internal import Kernel

/// A connection whose head is incomplete, or that lingers after an error response.
struct WaitingConnection {
    let connection: IncomingConnection
    var deadline: MonotonicTime
    var isLingering = false
}
