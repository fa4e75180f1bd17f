// SPDX-License-Identifier: Apache-2.0

/// The header frame that an encoder writes: Xing (Info at a constant bit rate) or Fraunhofer's VBRI.
package struct InfoFrame: Equatable {
    /// Frames without this one; nil when unknown.
    package var frames: Int64?
    /// Bytes with this one; nil when unknown.
    package var bytes: Int64?
    package var isVBRI: Bool
    /// Samples that the encoder added before and after the audio, from the LAME tag.
    package var padding: Int64 = 0
    /// The encoder declares a constant bit rate: `Info` instead of `Xing`.
    package var isConstant = false

    package init?(_ bytes: [UInt8]) {
        guard let header = FrameHeader(bytes[...]), header.layer == 3 else { return nil }
        func number(_ offset: Int) -> Int64? {
            guard offset + 4 <= bytes.count else { return nil }
            return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
        }
        let xing = 4 + header.sideInformationSize
        if bytes.dropFirst(xing).starts(with: "Xing".utf8) || bytes.dropFirst(xing).starts(with: "Info".utf8) {
            guard let flags = number(xing + 4) else { return nil }
            isVBRI = false
            isConstant = bytes[xing] == UInt8(ascii: "I")
            frames = flags & 1 != 0 ? number(xing + 8) : nil
            self.bytes = flags & 2 != 0 ? number(xing + (flags & 1 != 0 ? 12 : 8)) : nil
            // 12 bits each, at byte 21 of the LAME tag, which follows all fields that Xing's flags can announce.
            let lame = xing + 120
            if bytes.dropFirst(lame).starts(with: "LAME".utf8), let both = number(lame + 20).map({ $0 & 0xFF_FFFF }) {
                padding = (both >> 12) + (both & 0xFFF)
            }
        } else if bytes.dropFirst(36).starts(with: "VBRI".utf8) {
            isVBRI = true
            self.bytes = number(46)
            frames = number(50)
        } else {
            return nil
        }
        if frames == 0 { frames = nil }
        if self.bytes == 0 { self.bytes = nil }
    }
}
