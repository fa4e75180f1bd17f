// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Media

/// Proxies from the environment, as libcurl reads them: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for exceptions. They are
/// parsed here because libcurl does not report whether a transfer uses a proxy.
struct ProxySettings: Hashable {
    private var http: String?
    private var https: String?
    private var exceptions: [String] = []

    init(_ environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        // In a CGI program, HTTP_PROXY would come from a request header (httpoxy).
        http = value("http_proxy") ?? all
        https = value("https_proxy", "HTTPS_PROXY") ?? all
        exceptions = (value("no_proxy", "NO_PROXY") ?? "").lowercased().split { $0 == "," || $0.isWhitespace }
            .map(String.init)
    }

    /// nil for a direct connection.
    func proxy(for address: WebAddress) -> String? {
        guard let proxy = address.isSecure ? https : http, !isException(address.host) else { return nil }
        return proxy
    }

    private func isException(_ host: String) -> Bool {
        if exceptions == ["*"] { return true }
        let host = host.hasSuffix(".") ? host.dropLast() : host[...]
        let number = NetworkZone.bytes(of: String(host))
        return exceptions.contains { exception in
            if let number { return Self.lies(number, in: exception) }
            let name = exception.drop { $0 == "." }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }

    /// Whether a numeric address is this one, or lies in this network, such as `10.0.0.0/8`.
    private static func lies(_ address: [UInt8], in network: String) -> Bool {
        let parts = network.split(separator: "/", maxSplits: 1)
        guard let base = parts.first.flatMap({ NetworkZone.bytes(of: String($0)) }), base.count == address.count else {
            return false
        }
        guard parts.count == 2 else { return address == base }
        guard let bits = UInt8(parts[1]), bits <= address.count * 8 else { return false }
        return zip(address, base).enumerated().allSatisfy { index, pair in
            let rest = Int(bits) - index * 8
            let mask: UInt8 = rest >= 8 ? 0xFF : rest <= 0 ? 0 : ~(0xFF >> UInt8(rest))
            return pair.0 & mask == pair.1 & mask
        }
    }
}
