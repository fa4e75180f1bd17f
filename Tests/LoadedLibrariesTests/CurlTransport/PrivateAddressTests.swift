// SPDX-License-Identifier: Apache-2.0

import Kernel
@testable import Media
import Testing

@testable import LoadedLibraries

@Suite final class PrivateAddressTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private let transport = CurlTransport(CurlTransport.Configuration(userAgent: "Tonearm/test", environment: [:]))

    deinit { transport.stop() }

    private func fetch(
        _ url: String, _ reach: NetworkReach, _ number: UInt64 = 1, by other: CurlTransport? = nil
    ) throws -> ReceiverLog {
        let log = ReceiverLog()
        let address = try #require(WebAddress(url))
        (other ?? transport).start(
            TransferRequest(address: address, reach: reach), id: TransferID(number), receiver: log)
        return log
    }

    private func isRefused(_ log: ReceiverLog) -> Bool {
        guard case .privateAddress(let message)?? = log.wait() else { return false }
        return message.contains("an address of this machine")
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f000001", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]"])
    func thisMachineIsNotConnectedTo_forAPublicServer(host: String) throws {
        let origin = try Origin([Self.answer])
        let log = try fetch("http://\(host):\(origin.port)/", .public)
        #expect(isRefused(log))
        #expect(try isRefused(fetch("http://\(host):\(origin.port)/", .private, 2)))
        #expect(origin.requests.isEmpty)
    }

    @Test func anAddressFromTheUserIsConnectedTo_andItsZoneIsReported() throws {
        let origin = try Origin([Self.answer, Self.answer])
        for (number, reach) in [(UInt64(1), NetworkReach.anywhere), (2, .loopback)] {
            let log = try fetch("http://127.0.0.1:\(origin.port)/", reach, number)
            #expect(log.wait() == .some(nil))
            #expect(log.zone == .loopback)
        }
    }

    /// A connection opened for the user is not reused for an address from a stranger.
    @Test func anOpenConnectionIsNotReused() throws {
        let origin = try Origin([Self.answer, Self.answer])
        let first = try fetch("http://127.0.0.1:\(origin.port)/", .anywhere)
        #expect(first.wait() == .some(nil))
        let second = try fetch("http://127.0.0.1:\(origin.port)/secret", .public, 2)
        #expect(isRefused(second))
        #expect(!origin.requests.contains { $0.contains("secret") })
    }

    @Test func aProxyIsUsed_butNotForPrivateNumericAddresses() throws {
        let proxy = try Origin([Self.answer, Self.answer])
        let transport = CurlTransport(
            CurlTransport.Configuration(
                userAgent: "Tonearm/test", environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)"]))
        defer { transport.stop() }
        let named = try fetch("http://radio.example/a", .public, by: transport)
        #expect(named.wait() == .some(nil))
        #expect(named.zone == .public)
        for (number, url) in ["http://127.0.0.1/a", "http://2130706433/a", "http://localhost/a"].enumerated() {
            let log = try fetch(url, .public, UInt64(2 + number), by: transport)
            #expect(isRefused(log), "\(url)")
        }
        #expect(proxy.requests.count == 1)
    }
}

@Suite struct ProxySettingsTests {
    private func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        ProxySettings(environment).proxy(for: try #require(WebAddress(url)))
    }

    @Test func eachSchemeHasItsOwn_andUpperCaseHTTPIsIgnored() throws {
        let environment = ["http_proxy": "http://a", "HTTPS_PROXY": "http://b", "HTTP_PROXY": "http://c"]
        #expect(try proxy("http://x.example/", environment) == "http://a")
        #expect(try proxy("https://x.example/", environment) == "http://b")
        #expect(try proxy("http://x.example/", ["HTTP_PROXY": "http://c"]) == nil)
        #expect(try proxy("https://x.example/", ["all_proxy": "socks5://d"]) == "socks5://d")
        #expect(try proxy("http://x.example/", [:]) == nil)
    }

    @Test(arguments: [
        ("http://x.example/", "x.example", true), ("http://a.x.example/", "x.example", true),
        ("http://a.x.example/", ".x.example", true), ("http://ax.example/", "x.example", false),
        ("http://x.example./", "x.example", true), ("http://X.example/", "x.EXAMPLE", true),
        ("http://x.example/", "*", true), ("http://x.example/", "a.example, x.example", true),
        ("http://10.1.2.3/", "10.0.0.0/8", true), ("http://11.1.2.3/", "10.0.0.0/8", false),
        ("http://10.1.2.3/", "10.1.2.3", true), ("http://192.168.1.130/", "192.168.1.128/25", true),
        ("http://192.168.1.1/", "192.168.1.128/25", false), ("http://[fd00::1]/", "fd00::/8", true),
        ("http://10.1.2.3/", "fd00::/8", false), ("http://10.1.2.3/", "10.0.0.0/x", false),
        ("http://x.example/", "", false),
    ])
    func someHostsNeedNone(url: String, exceptions: String, isDirect: Bool) throws {
        #expect(try (proxy(url, ["http_proxy": "http://a", "no_proxy": exceptions]) == nil) == isDirect)
    }
}
