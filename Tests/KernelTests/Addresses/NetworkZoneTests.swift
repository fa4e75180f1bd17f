// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct NetworkZoneTests {
    @Test(arguments: [
        ("8.8.8.8", NetworkZone.public), ("198.51.100.7", .public), ("172.15.255.255", .public),
        ("172.32.0.0", .public),
        ("100.63.255.255", .public), ("100.128.0.0", .public), ("169.253.255.255", .public), ("11.0.0.0", .public),
        ("128.0.0.1", .public), ("2606:4700::1111", .public),
        ("10.0.0.0", .private), ("10.255.255.255", .private), ("172.16.0.1", .private), ("172.31.255.255", .private),
        ("192.168.1.1", .private), ("100.64.0.1", .private), ("100.127.255.255", .private), ("192.0.0.1", .private),
        ("198.18.0.1", .private), ("198.19.255.255", .private), ("fc00::1", .private), ("fdff::1", .private),
        ("fec0::1", .private),
        ("169.254.0.1", .linkLocal), ("169.254.169.254", .linkLocal), ("100.100.100.200", .linkLocal),
        ("192.0.0.192", .linkLocal), ("168.63.129.16", .linkLocal), ("224.0.0.251", .linkLocal),
        ("240.0.0.1", .linkLocal), ("255.255.255.255", .linkLocal), ("fe80::1", .linkLocal),
        ("fe80::1%eth0", .linkLocal), ("febf::1", .linkLocal), ("fd00:ec2::254", .linkLocal),
        ("fd20:ce::254", .linkLocal), ("ff02::fb", .linkLocal),
        ("0.0.0.0", .loopback), ("0.1.2.3", .loopback), ("127.0.0.1", .loopback), ("127.255.255.254", .loopback),
        ("::1", .loopback), ("[::1]", .loopback), ("::", .loopback),
        // Other spellings of one address.
        ("127.1", .loopback), ("2130706433", .loopback), ("0x7f000001", .loopback), ("0177.0.0.1", .loopback),
        ("10.1", .private), ("0xa9fea9fe", .linkLocal),
        // IPv6 for IPv4: mapped, translated, compatible, NAT64, 6to4, Teredo.
        ("::ffff:127.0.0.1", .loopback), ("::ffff:10.0.0.1", .private), ("::ffff:8.8.8.8", .public),
        ("::ffff:0:127.0.0.1", .loopback), ("::169.254.169.254", .linkLocal), ("::127.0.0.1", .loopback),
        ("64:ff9b::7f00:1", .loopback), ("64:ff9b::a9fe:a9fe", .linkLocal), ("64:ff9b::808:808", .public),
        ("64:ff9b:1::808:808", .private), ("64:ff9b:1::7f00:1", .loopback),
        ("2002:7f00:1::1", .loopback), ("2002:a00:1::", .private), ("2002:808:808::", .public),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", .loopback), ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", .public),
        // Names that mean this machine.
        ("localhost", .loopback), ("LOCALHOST.", .loopback), ("a.localhost", .loopback), ("127.0.0.1.", .loopback),
    ])
    func addressesHaveZones(text: String, zone: NetworkZone) {
        #expect(NetworkZone(host: text) == zone)
    }

    @Test(arguments: ["radio.example", "10.example", "notlocalhost", "", "::g", "1.2.3.4.5"])
    func otherNamesHaveNone(text: String) {
        #expect(NetworkZone(host: text) == nil)
    }

    @Test func reachesDoNotIncludeMorePrivateZones() {
        let allowed: [NetworkReach: Set<NetworkZone>] = [
            .anywhere: [.public, .private, .linkLocal, .loopback],
            .loopback: [.public, .private, .loopback],
            .linkLocal: [.public, .private, .linkLocal],
            .private: [.public, .private],
            .public: [.public],
        ]
        for (reach, zones) in allowed {
            for zone in NetworkZone.allCases { #expect(reach.allows(zone) == zones.contains(zone), "\(reach) \(zone)") }
            for (other, others) in allowed {
                let both = reach.narrowed(by: other)
                #expect(allowed[both] == zones.intersection(others), "\(reach) \(other)")
            }
        }
        for zone in NetworkZone.allCases { #expect(NetworkReach(of: zone).allows(zone)) }
    }
}
