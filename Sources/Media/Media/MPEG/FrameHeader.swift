// SPDX-License-Identifier: Apache-2.0

/// The four-byte header of an MPEG audio frame (ISO/IEC 11172-3, 2.4.1.3; 13818-3; MPEG 2.5 as Fraunhofer extended it).
package struct FrameHeader: Hashable {
    package enum Version: Int { case v25 = 0, v2 = 2, v1 = 3 }

    package var version: Version
    /// 1...3
    package var layer: Int
    /// Bits per second; nil for free format.
    package var bitrate: Int?
    package var sampleRate: Int
    package var isPadded: Bool
    package var isMono: Bool

    package init?(_ bytes: ArraySlice<UInt8>) {
        let b = Array(bytes.prefix(4))
        guard b.count == 4, b[0] == 0xFF, b[1] & 0xE0 == 0xE0, let version = Version(rawValue: Int(b[1] >> 3 & 3)),
            b[1] >> 1 & 3 != 0, b[2] >> 4 != 15, b[2] >> 2 & 3 != 3
        else { return nil }
        self.version = version
        layer = 4 - Int(b[1] >> 1 & 3)
        let kilobits = Self.bitrates[version == .v1 ? layer - 1 : layer == 1 ? 3 : 4][Int(b[2] >> 4)]
        bitrate = kilobits == 0 ? nil : kilobits * 1_000
        let rate = [44_100, 48_000, 32_000][Int(b[2] >> 2 & 3)]
        sampleRate = version == .v1 ? rate : version == .v2 ? rate / 2 : rate / 4
        isPadded = b[2] & 2 != 0
        isMono = b[3] >> 6 == 3
    }

    package var samplesPerFrame: Int {
        switch layer {
        case 1: 384
        case 2: 1_152
        default: version == .v1 ? 1_152 : 576
        }
    }

    /// Bytes of the frame, header included; nil for free format.
    package var size: Int? {
        guard let bitrate else { return nil }
        let slot = layer == 1 ? 4 : 1
        return (samplesPerFrame / 8 / slot * bitrate / sampleRate + (isPadded ? 1 : 0)) * slot
    }

    /// Bytes of the side information in layer III.
    package var sideInformationSize: Int { version == .v1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }

    /// Whether both can belong to one stream.
    package func continues(_ other: FrameHeader) -> Bool {
        version == other.version && layer == other.layer && sampleRate == other.sampleRate
            && (bitrate == nil) == (other.bitrate == nil)
    }

    /// Offset of the first header that is confirmed by a second one or whose frame reaches the end of `bytes`.
    package static func find(in bytes: [UInt8]) -> Int? {
        for offset in bytes.indices.dropLast(3) where bytes[offset] == 0xFF {
            guard let header = FrameHeader(bytes[offset...]) else { continue }
            if let size = header.size {
                let next = offset + size
                // An incomplete frame proves little unless the file begins with it.
                if next + 4 > bytes.count ? offset == 0 || next <= bytes.count : confirms(bytes[next...], header) {
                    return offset
                }
            } else if bytes[..<max(0, bytes.count - 3)].dropFirst(offset + 24).prefix(8_192 - 24).indices.contains(
                where: {
                    bytes[$0] == 0xFF && confirms(bytes[$0...], header)
                })
            {
                return offset
            }
        }
        return nil
    }

    private static func confirms(_ bytes: ArraySlice<UInt8>, _ header: FrameHeader) -> Bool {
        if let next = FrameHeader(bytes) { return next.continues(header) }
        return bytes.starts(with: "TAG".utf8) || bytes.starts(with: "APETAGEX".utf8) || bytes.starts(with: "ID3".utf8)
    }

    /// kbit/s. Rows: MPEG 1 layers I, II, III; MPEG 2 and 2.5 layer I; MPEG 2 and 2.5 layers II and III.
    private static let bitrates = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
}
