// SPDX-License-Identifier: Apache-2.0

import Kernel
import Testing

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            (Int64.max, nil), (1 << 62, nil), (1 << 53 + 1, nil), (1 << 48 + 1, nil), (1 << 48, 1 << 48), (0, 0),
            (-1, nil),
            (Int64.min, nil),
        ] as [(Int64, Int64?)])
    func holdsAtMost2To48(number: Int64, bytes: Int64?) {
        #expect(ByteCount(number)?.bytes == bytes)
        #expect(ByteCount(digits: String(number))?.bytes == bytes)
    }

    @Test func isUnknown_forNumbersOfOtherTypesThatDoNotFit() {
        #expect(ByteCount(UInt64.max) == nil)
        #expect(ByteCount(UInt8.max) == 255)
    }

    @Test(arguments: ["", " 1", "+1", "1 ", "0x10", "1e3", "1.5", "nan", "99999999999999999999", "١"])
    func isUnknown_forTextThatIsNotDigits(text: String) {
        #expect(ByteCount(digits: text) == nil)
    }
}

@Suite struct CheckedConversionTests {
    @Test(
        arguments: [
            (Double.nan, 0, 0), (.infinity, .max, .max), (-.infinity, .min, 0), (0x1p63, .max, .max),
            (-0x1p63, .min, 0),
            (0x1p62, 1 << 62, .max), (9.99, 9, 9), (-9.99, -9, 0), (-0.5, 0, 0), (0x1p32 - 1, 1 << 32 - 1, .max),
            (-1e300, .min, 0), (1e300, .max, .max),
        ] as [(Double, Int64, UInt32)])
    func clamps_whenTheValueDoesNotFit(value: Double, long: Int64, unsigned: UInt32) {
        #expect(Int64(clamping: value) == long)
        #expect(Int(clamping: value) == Int(long))
        #expect(UInt32(clamping: value) == unsigned)
        #expect(Int32(clamping: value) == Int32(clamping: long))
        #expect(UInt8(clamping: value) == UInt8(clamping: long))
    }
}
