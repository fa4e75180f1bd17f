// SPDX-License-Identifier: Apache-2.0

/// Where the page is to be opened.
struct PageLinks {
    /// By an address that works without anybody's help: as bound, or in the local network when bound to all addresses.
    let main: String
    /// By the machine's name, which is easier to keep in mind but which not every network resolves.
    let named: (name: String, link: String)?
    let hasToken: Bool

    init(
        host: String, port: UInt16, token: String?, address: @autoclosure () -> String? = LocalNetwork.address(),
        machineName: @autoclosure () -> String? = LocalNetwork.machineName()
    ) {
        func link(_ host: String) -> String {
            let authority = host.contains(":") ? "[\(host)]" : host
            return "http://\(authority):\(port)/" + (token.map { "#token=\($0)" } ?? "")
        }
        hasToken = token != nil
        guard host == "0.0.0.0" || host == "::" else {
            main = link(host)
            named = nil
            return
        }
        let name = machineName()
        if let address = address() {
            main = link(address)
            named = name.map { ($0, link($0)) }
        } else {
            main = link(name ?? host)
            named = nil
        }
    }
}
