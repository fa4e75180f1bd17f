// SPDX-License-Identifier: Apache-2.0

import Desktop
import Logging

extension Server {
    /// nil where nobody else could reach the server, or there is no system bus.
    static func zeroconf(
        _ configuration: ServerConfiguration, id: String, name: String, port: UInt16, _ log: Logger
    ) -> ZeroconfService? {
        guard configuration.isAnnounced, !configuration.isLoopback, ZeroconfService.isPossible else { return nil }
        let service = AnnouncedService(
            name: name, type: "_tonearm._tcp", port: port,
            properties: ["id=\(id)", "name=\(name)", "version=\(ServerVersion.text)"])
        return ZeroconfService(service, log: log)
    }
}
