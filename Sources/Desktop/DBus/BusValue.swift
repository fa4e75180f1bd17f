// SPDX-License-Identifier: Apache-2.0

/// A value of one of the D-Bus types in use.
enum BusValue: Hashable, Sendable {
    case text(String)
    case path(String)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case double(Double)
    case flag(Bool)
    case texts([String])
    case paths([String])
    /// `aay`
    case byteStrings([[UInt8]])
    indirect case variant(BusValue)
    /// `a{sv}`, written in the order of the names.
    case dictionary([String: BusValue])
    /// `aa{sv}`
    case dictionaries([[String: BusValue]])
    /// Open as long as the message lives.
    case descriptor(Int32)
    /// A received variant of any other type.
    case other(signature: String)

    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .double: "d"
        case .flag: "b"
        case .texts: "as"
        case .paths: "ao"
        case .byteStrings: "aay"
        case .variant: "v"
        case .dictionary: "a{sv}"
        case .dictionaries: "aa{sv}"
        case .descriptor: "h"
        case .other(let signature): signature
        }
    }
}
