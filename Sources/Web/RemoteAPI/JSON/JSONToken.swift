// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text, or the name of a member: its kind and its range of bytes. The tokens of an object or list
/// follow its own token; a member is its name, then its value.
struct JSONToken {
    enum Kind: UInt8 {
        case object, list, text, number, yes, no, null
    }

    var kind: Kind
    /// For a text: it contains escapes.
    var hasEscapes = false
    /// Range of its bytes; for a text without the quotes.
    var bytes: Range<Int>
    /// The index of the token after this value and its content; 0 while the value is being scanned.
    var next: Int
}
