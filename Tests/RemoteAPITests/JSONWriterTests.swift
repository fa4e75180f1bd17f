// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RemoteAPI

@Suite struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Rounded to a millionth.
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (1, "1"), (-12.34, "-12.34"), (0.1, "0.1"), (0.000_001, "0.000001"), (1e-7, "0"),
        (-0.000_000_6, "-0.000001"), (0.999_999_9, "1"), (100.05, "100.05"), (999_999_999.5, "999999999.5"),
        (1e9, "1000000000"), (-123_456_789_012, "-123456789012"), (1e300, "1e+300"),
        (.infinity, "null"), (.nan, "null"),
    ])
    func fractions(number: Double, expected: String) {
        #expect(text { $0.value(number) } == expected)
    }

    @Test func wholeNumbers() {
        let numbers = text { $0.array([0, 9, 10, -1, Int.min, Int.max]) { $0.value($1) } }
        #expect(numbers == "[0,9,10,-1,-9223372036854775808,9223372036854775807]")
        #expect(text { $0.value(UInt64.max) } == "18446744073709551615")
    }
}
