// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Media

@Suite struct TagValuesTests {
    @Test(
        arguments: [
            ("3", 3, nil), ("03", 3, nil), (" 3 / 12 ", 3, 12), ("/12", nil, 12), ("3/", 3, nil), ("0", nil, nil),
            ("100000", nil, nil), ("-3", nil, nil), ("A1", nil, nil), ("3 of 12", 3, nil), ("", nil, nil),
            ("99999999999999999999", nil, nil), ("٣", nil, nil),
        ] as [(String, Int?, Int?)])
    func numbers(text: String, number: Int?, total: Int?) {
        let found = TagNumber(text)
        #expect(found.number == number && found.total == total)
    }

    @Test(
        arguments: [
            ("-6.50 dB", -6.5), ("+1.2", 1.2), (" 3dB", 3), ("0", 0), ("60", 60), ("60.1", nil), ("-99 dB", nil),
            ("dB", nil),
            ("nan", nil), ("inf", nil), ("1e1", 1), ("--3", nil), ("", nil),
        ] as [(String, Double?)])
    func gains(text: String, decibels: Double?) {
        #expect(TagGain.decibels(text) == decibels)
    }

    @Test(arguments: [("0", 5), ("-1280", 0), ("32767", nil), ("-6.5", nil), ("", nil)] as [(String, Double?)])
    func opusGains(text: String, decibels: Double?) {
        #expect(TagGain.opus(text) == decibels)
    }

    @Test(
        arguments: [
            ("0.987654", 0.987654), (" 1.000000", 1), ("1.3 ", 1.3), ("0", nil), ("-1", nil), ("nan", nil), ("", nil),
            ("99999", nil),
        ] as [(String, Double?)])
    func peaks(text: String, peak: Double?) {
        #expect(TagGain.peak(text) == peak)
    }

    @Test(
        arguments: [
            ([4, 0, 0x10, 0, 0, 1, 2], 150), ([3, 0, 0x10, 0, 0, 1, 2], 140), ([2, 0, 0, 0, 0, 0, 0], 10),
            ([4, 0, 0, 0, 0, 0x80, 0], nil), ([0xFF, 0, 0, 0, 0, 0, 0], nil), ([4, 0, 0], nil),
        ] as [([UInt8], Int64?)])
    func tagSizes(rest: [UInt8], size: Int64?) {
        #expect(VersionTwoTag.size(Array("ID3".utf8) + rest) == size)
    }
}
