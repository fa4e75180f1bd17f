// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Where a playlist lies: shared by all that it names.
final class HLSBase: Sendable {
    let address: WebAddress
    /// Where what it names may lead.
    let reach: NetworkReach

    init(_ address: WebAddress, reach: NetworkReach) {
        self.address = address
        self.reach = reach
    }
}

/// An address as a playlist writes it. It is made whole when it is used: a playlist has tens of thousands of them, whose
/// common beginning may be long.
struct HLSReference: Equatable {
    let base: HLSBase
    /// Empty: the base itself.
    let text: String

    init(_ text: String, from base: HLSBase) {
        self.base = base
        self.text = text
    }

    init(_ address: WebAddress, reach: NetworkReach) {
        self.init("", from: HLSBase(address, reach: reach))
    }

    var address: WebAddress { text.isEmpty ? base.address : base.address.redirected(to: text) ?? base.address }

    /// Whether `text` can be fetched, as far as that is seen without taking it apart.
    static func isFetched(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return false }
        let head = bytes.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard head.endIndex != bytes.endIndex, bytes[head.endIndex] == UInt8(ascii: ":") else { return true }
        let scheme = String(Substring(head)).lowercased()
        return (scheme == "http" || scheme == "https") && bytes[head.endIndex...].dropFirst().starts(with: "//".utf8)
    }

    /// Written alike in one playlist.
    func isCopy(of other: HLSReference) -> Bool { base === other.base && text == other.text }

    static func == (left: HLSReference, right: HLSReference) -> Bool {
        left.isCopy(of: right) || left.address == right.address
    }
}
