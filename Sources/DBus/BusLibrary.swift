// SPDX-License-Identifier: Apache-2.0

package import CSystemd

/// What sd-bus has answered: the call and its negative errno.
package struct BusFailure: Error {
    package var call: String
    package var code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package static func check(_ code: Int32, _ call: String) throws(BusFailure) -> Int32 {
        if code < 0 { throw BusFailure(call: call, code: code) }
        return code
    }
}

/// libsystemd's functions, opened when a bus is to be talked to. Lives as long as the process.
///
/// `@unchecked Sendable` because the table is written once, before anybody has it.
package final class BusLibrary: @unchecked Sendable {
    package let functions: csystemd_bus

    package struct Missing: Error { package var reason: String }

    package init() throws(Missing) {
        var table = csystemd_bus()
        guard csystemd_open_bus(&table) != 0 else { throw Missing(reason: String(cString: csystemd_problem())) }
        functions = table
    }
}
