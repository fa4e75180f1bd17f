// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The actual encoding of text that a tag declares as Latin-1, or that has no declaration. Old software writes its country's
/// encoding.
public enum LegacyEncoding: String {
    case utf8 = "UTF-8"
    case chinese = "GB18030"
    case cyrillic = "CP1251"

    /// Detects clear cases only; nil means Latin-1 (with Windows' additions), as declared.
    public static func detect(_ bytes: [UInt8]) -> LegacyEncoding? {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        if String(validating: bytes, as: UTF8.self) != nil { return .utf8 }
        if looksCyrillic(bytes) { return .cyrillic }
        return ChineseEvidence(bytes).isCertain && convert(bytes, from: chinese.rawValue) != nil ? .chinese : nil
    }

    /// `hint`: the encoding of text from the same source.
    public static func decode(_ bytes: [UInt8], hint: LegacyEncoding? = nil) -> String {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
        var encoding = detect(bytes)
        if encoding == nil, hint == .chinese, ChineseEvidence(bytes).isPossible { encoding = hint }
        if encoding == nil, hint == .cyrillic, !bytes.contains(where: { (0x80..<0xA8).contains($0) }) {
            encoding = hint
        }
        let name = encoding?.rawValue ?? "CP1252"
        return convert(bytes, from: name) ?? String(latin1: bytes)
    }

    /// Almost all letters are non-ASCII, and most are in CP1251's range of lower-case letters. Chinese bytes are spread more widely, and
    /// Western text is mostly ASCII.
    private static func looksCyrillic(_ bytes: [UInt8]) -> Bool {
        let high = bytes.filter { $0 >= 0x80 }
        let asciiLetters = bytes.count { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
        let small = high.count { $0 >= 0xE0 || $0 == 0xB8 }
        let foreign = high.count { $0 < 0xC0 && $0 != 0xA8 && $0 != 0xB8 }
        return high.count >= 4 && foreign == 0 && asciiLetters * 2 < high.count && small * 10 >= high.count * 7
    }

    /// nil if the bytes are invalid in that encoding, or it is unknown to the C library.
    public static func convert(_ bytes: [UInt8], from name: String) -> String? {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(converter) }
        var source = bytes.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: bytes.count * 4 + 8)
        var sourceLeft = source.count
        var targetLeft = target.count
        let result = source.withUnsafeMutableBufferPointer { from in
            target.withUnsafeMutableBufferPointer { to in
                var input = from.baseAddress
                var output = to.baseAddress
                let result = iconv(converter, &input, &sourceLeft, &output, &targetLeft)
                // Some encodings hold back a letter until they see whether a mark follows.
                iconv(converter, nil, nil, &output, &targetLeft)
                return result
            }
        }
        guard result != Int(bitPattern: UInt.max), sourceLeft == 0 else { return nil }
        return String(decoding: target.dropLast(targetLeft).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Evidence for two-byte characters of GB18030 (GBK).
private struct ChineseEvidence {
    private var pairs = 0
    /// Pairs of the 3,755 common characters (first byte B0-D7), or with a first byte that is a control code in Latin-1.
    private var commonPairs = 0
    /// Pairs of non-ASCII bytes that are unlikely in Latin-1.
    private var oddities = 0
    /// Bytes that CP1252 does not define.
    private var undefined = 0
    /// Characters of one byte, or with an ASCII byte.
    private var others = 0
    private var longestRun = 0

    init(_ bytes: [UInt8]) {
        var index = 0
        var run = 0
        while index < bytes.count {
            let lead = bytes[index]
            guard lead >= 0x80 else {
                run = 0
                index += 1
                continue
            }
            let trail = index + 1 < bytes.count ? bytes[index + 1] : 0
            pairs += 1
            undefined += [lead, trail].count { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }
            if trail >= 0x80 {
                run += 2
                if (0xB0...0xD7).contains(lead) && trail >= 0xA1 || (0x81...0xA0).contains(lead) { commonPairs += 1 }
                if lead < 0xC0 || trail < 0xC0 { oddities += 1 }
            } else {
                run += 1
                others += 1
            }
            longestRun = max(longestRun, run)
            index += trail >= 0x40 ? 2 : 1
        }
    }

    /// In tags whose other fields are Chinese.
    var isPossible: Bool { isLikely || others == 0 }
    var isCertain: Bool { isLikely && (oddities > 0 || longestRun >= 4) || others == 0 && undefined > 0 }
    private var isLikely: Bool { pairs > 0 && commonPairs * 2 >= pairs }
}
