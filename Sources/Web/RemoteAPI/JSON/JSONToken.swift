// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text, or the name of a member: its kind, and where it is in the bytes. The tokens of an object or list
/// follow its own; a member is its name and then its value.
struct JSONToken {
    enum Kind: UInt8 {
        case object, list, text, number, yes, no, null
    }

    var kind: Kind
    /// Of a text: some of its bytes are escapes.
    var hasEscapes = false
    /// From the first byte to the one behind the last; of a text without the quotes.
    var bytes: Range<Int>
    /// The index of the token behind this value and all that is in it; 0 while the value is being read.
    var next: Int
}

/// What one value may take: a list of many is limited element by element.
struct JSONLimits {
    var bytes: Int
    var tokens: Int

    /// One entry of a list, or a body that has none.
    static let element = JSONLimits(bytes: 256 * 1024, tokens: 4_096)
    /// A message of the event channel: no larger than 64 KB, and its `data` is read again by its route.
    static let message = JSONLimits(bytes: 64 * 1024, tokens: 65_536)

    /// Objects and lists that may be open at once.
    static let depth = 32
}
