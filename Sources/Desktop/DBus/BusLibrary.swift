// SPDX-License-Identifier: Apache-2.0

package import CSystemd
package import Kernel

/// An error of sd-bus: the call and its negative errno.
package struct BusFailure: Error {
    package var call: String
    package var code: Int32

    package static func check(_ code: Int32, _ call: String) throws(BusFailure) -> Int32 {
        if code < 0 { throw BusFailure(call: call, code: code) }
        return code
    }
}

/// libsystemd's functions, loaded when a bus is to be talked to.
package typealias BusLibrary = LoadedLibrary<csystemd_bus>

extension BusLibrary {
    package convenience init() throws(MissingLibrary) { try self.init(csystemd_bus(), csystemd_bus_load) }
}
