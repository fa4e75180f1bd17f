// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import tonearm

@Suite struct LibraryVersionsTests {
    @Test(
        arguments: [
            ("libcurl/8.5.0 OpenSSL/3.0.2", "8.5.0"), ("4.1.6-", "4.1.6"), ("4.3.5-unknown", "4.3.5"),
            ("libsndfile-1.2.0", "1.2.0"), ("expat_2.5.0", "2.5.0"), ("", nil),
        ] as [(String, String?)])
    func number_isThatOfTheLibrarysText(text: String, number: String?) {
        #expect(LibraryVersions.number(in: text).map { String($0) } == number)
    }
}
