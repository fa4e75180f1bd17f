// SPDX-License-Identifier: Apache-2.0

/// A number and an optional total in a tag: "3", "03", "3/12", "/12".
public struct TagNumber: Hashable, Sendable {
    /// 1 to 99,999; nil when unknown.
    public var number: Int?
    public var total: Int?

    public init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        number = parts.first.flatMap(Self.count)
        total = parts.dropFirst().first.flatMap(Self.count)
    }

    private static func count(_ text: Substring) -> Int? {
        let digits = text.drop(while: \.isWhitespace).prefix { $0.isASCII && $0.isNumber }
        return Int(digits).flatMap { (1...99_999).contains($0) ? $0 : nil }
    }
}

/// Parses loudness values in tags, as ReplayGain decibels; nil for implausible values.
public enum TagGain {
    /// Plausible gains in dB.
    private static let range = -60.0...60

    /// "-6.50 dB", "+1.2" (ReplayGain 1.0).
    public static func decibels(_ text: String) -> Double? {
        let number = text.drop { $0.isWhitespace || $0 == "+" }.prefix { "-.0123456789".contains($0) }
        return Double(number).flatMap { range.contains($0) ? $0 : nil }
    }

    /// "0.987654", the peak (ReplayGain 1.0): 1 at full scale; more if the decoded media clips.
    public static func peak(_ text: String) -> Double? {
        let number = text.drop(while: \.isWhitespace).prefix { ".0123456789".contains($0) }
        return Double(number).flatMap { (0.000_01...100).contains($0) ? $0 : nil }
    }

    /// Units of 1/256 dB relative to -23 LUFS (RFC 7845, 5.2.1). ReplayGain's reference is 5 dB higher.
    public static func opus(_ text: String) -> Double? {
        Int(text).map { Double($0) / 256 + 5 }.flatMap { range.contains($0) ? $0 : nil }
    }
}

/// The ID3v2 tag, which precedes MPEG audio and sometimes other formats.
public enum VersionTwoTag {
    /// Bytes of the tag that starts with these 10 bytes, including header and footer (ID3v2.4 structure, 3.1); nil without one.
    public static func size(_ head: [UInt8]) -> Int64? {
        guard head.count >= 10, head.starts(with: "ID3".utf8), head[3] != 0xFF, head[4] != 0xFF,
            head[6...9].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let body = head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1) }
        return 10 + body + (head[3] == 4 && head[5] & 0x10 != 0 ? 10 : 0)
    }
}
