// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// What sd-bus has answered: the call and its negative errno.
struct BusFailure: Error {
    var call: String
    var code: Int32
}

/// libsystemd's functions, opened when a bus is to be talked to. Lives as long as the process.
///
/// `@unchecked Sendable` because the table is written once, before anybody has it.
final class BusLibrary: @unchecked Sendable {
    let functions: csystemd_bus

    struct Missing: Error { var reason: String }

    init() throws(Missing) {
        var table = csystemd_bus()
        guard csystemd_open_bus(&table) != 0 else { throw Missing(reason: String(cString: csystemd_problem())) }
        functions = table
    }
}
