// SPDX-License-Identifier: Apache-2.0

/// Files of formats that ffmpeg reads but cannot write.
enum RareFormats {
    private static func little(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    }

    private static func little(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    /// DSD64, one channel of silence in blocks of 4,096 bytes.
    static func dsf(blocks: Int) -> [UInt8] {
        let data = [UInt8](repeating: 0x69, count: blocks * 4_096)
        let format = little(1, 0, 1, 1, 64 * 44_100, 1) + little(UInt64(data.count * 8)) + little(4_096, 0)
        let total = UInt64(28 + 12 + format.count + 12 + data.count)
        return Array("DSD ".utf8) + little(UInt64(28)) + little(total) + little(UInt64(0))
            + Array("fmt ".utf8) + little(UInt64(12 + format.count)) + format
            + Array("data".utf8) + little(UInt64(12 + data.count)) + data
    }

    /// Monkey's Audio 3.99 with one frame, which its flags declare silent: there is no free encoder for others.
    static func silentApe(frames: UInt32) -> [UInt8] {
        let data = little(0x8000_0000, 3) + [UInt8](repeating: 0, count: 64)
        let head = little(1_000 | 32 << 16, 73_728, frames, 1, 16 | 2 << 16, 44_100)
        let descriptor =
            Array("MAC ".utf8) + little(3_990, 52, UInt32(head.count), 4, 0, UInt32(data.count), 0, 0)
            + [UInt8](repeating: 0, count: 16)
        return descriptor + head + little(UInt32(descriptor.count + head.count + 4)) + data
    }
}
