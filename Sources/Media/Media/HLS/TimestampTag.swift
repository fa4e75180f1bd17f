// SPDX-License-Identifier: Apache-2.0

/// The ID3 tag before a segment of packed audio, which holds the time of its first frame (RFC 8216, section 3.4).
struct TimestampTag {
    /// Bytes of the whole tag.
    let size: Int
    /// Larger ones are no timestamps.
    static let largest = 1 << 20
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

    /// nil for what is no tag. `head`: 10 bytes.
    init?(_ head: some Collection<UInt8>) {
        let head = Array(head)
        guard head.count >= 10, head.starts(with: "ID3".utf8), head[6..<10].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        size = head[6..<10].reduce(0) { $0 << 7 | Int($1) } + (head[5] & 0x10 != 0 ? 20 : 10)
    }

    /// Seconds, from the frame of that owner in all of the tag; nil without one.
    static func seconds(in tag: [UInt8]) -> Double? {
        guard let start = tag.firstRange(of: owner)?.upperBound, tag.count >= start + 8 else { return nil }
        // 33 bits at 90 kHz, the upper ones zero.
        let ticks = tag[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ticks < 1 << 33 ? Double(ticks) / 90_000 : nil
    }
}
