// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct LocalNetworkTests {
    private let loopback = NetworkAddress(interface: "lo", address: "127.0.0.1", isLoopback: true)
    private let docker = NetworkAddress(interface: "docker0", address: "172.17.0.1")
    private let bridge = NetworkAddress(interface: "br-12ab34", address: "172.18.0.1")
    private let tunnel = NetworkAddress(interface: "wg0", address: "10.8.0.2", isPointToPoint: true)
    private let ownBridge = NetworkAddress(interface: "br0", address: "192.168.1.4")
    private let card = NetworkAddress(interface: "wlan0", address: "192.168.1.5", isHardware: true)

    @Test func networkCard_isPreferred_linkLocalAddressComesLast() {
        var down = card
        down.isUp = false
        let linkLocal = NetworkAddress(interface: "eth0", address: "169.254.3.4", isHardware: true)
        for (candidates, expected) in [
            ([loopback, docker, tunnel, ownBridge, card], "192.168.1.5"),
            ([loopback, docker, tunnel, ownBridge], "192.168.1.4"),
            ([loopback, docker, tunnel], "10.8.0.2"), ([loopback, docker, bridge, down], nil), ([], nil),
            ([linkLocal, ownBridge], "192.168.1.4"), ([linkLocal], "169.254.3.4"),
        ] {
            #expect(LocalNetwork.address(candidates) == expected)
        }
    }

    @Test func thisMachine_hasLoopback() {
        #expect(LocalNetwork.addresses().contains { $0.isLoopback && $0.address.hasPrefix("127.") && $0.isUp })
    }

    @Test func loopbackName_doesNotResolve() {
        #expect(!LocalNetwork.resolves("localhost"))
        #expect(!LocalNetwork.resolves("127.0.0.1"))
        #expect(LocalNetwork.resolves("192.0.2.1"))
    }
}

@Suite struct PageLinksTests {
    private func links(_ host: String, token: String? = nil, address: String? = nil, name: String? = "pi") -> PageLinks
    {
        PageLinks(host: host, port: 8080, token: token, address: address, machineName: name)
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func everywhere_isTheLocalNetworksAddress_andTheName(host: String) {
        let both = links(host, token: "abc", address: "192.168.1.5")
        #expect(both.main == "http://192.168.1.5:8080/#token=abc")
        #expect(both.named?.link == "http://pi:8080/#token=abc")
        #expect(both.named?.name == "pi")
    }

    @Test func everywhereWithoutAnAddress_isTheName() {
        #expect(links("::").main == "http://pi:8080/")
        #expect(links("::").named == nil)
        #expect(links("0.0.0.0", name: nil).main == "http://0.0.0.0:8080/")
    }

    @Test func oneAddress_isUsedUnchanged() {
        #expect(links("127.0.0.1", address: "192.168.1.5").main == "http://127.0.0.1:8080/")
        #expect(links("::1").main == "http://[::1]:8080/")
        #expect(links("192.168.1.7", token: "x", address: "192.168.1.5").named == nil)
    }
}
