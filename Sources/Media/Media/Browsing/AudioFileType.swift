// SPDX-License-Identifier: Apache-2.0

/// The file name extensions that a listing shows; what a file really is, its bytes show when it is opened.
public enum AudioFileType {
    private static let extensions: NameExtensions = [
        "mp3", "mp2", "mp1", "mpga",
        "aac", "adts", "flac", "oga", "ogg", "opus", "wav", "wave", "w64", "aif", "aiff", "aifc", "caf", "dsf", "dff",
        "m4a", "m4b", "m4r", "mp4", "m4v", "mov", "3gp", "3g2", "mka", "mkv", "webm", "weba", "wma", "asf", "wmv",
        "ape",
        "wv", "tta", "tak", "mpc", "mp+", "mpp", "spx", "ac3", "eac3", "ec3", "dts", "dtshd", "afc",
    ]

    public static func isAudioFile(_ name: Substring) -> Bool { extensions.hold(name.utf8) }
}

/// Extensions of file names in ASCII, of 8 bytes at most. Asked of every item that is added: reads from the name's end, and
/// compares one word.
struct NameExtensions: ExpressibleByArrayLiteral {
    private var words: Set<UInt64> = []

    /// In lower case.
    init(arrayLiteral names: String...) {
        words = Set(names.compactMap { Self.word(".\($0)".utf8[...]) })
    }

    /// Whether what follows the last dot, in either case, is one of them.
    func hold(_ name: Substring.UTF8View) -> Bool { Self.word(name).map(words.contains) ?? false }

    private static func word(_ name: Substring.UTF8View) -> UInt64? {
        var word: UInt64 = 0
        for byte in name.reversed() {
            if byte == UInt8(ascii: ".") { return word }
            guard word >> 56 == 0 else { return nil }
            word = word << 8 | UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
        return nil
    }
}
