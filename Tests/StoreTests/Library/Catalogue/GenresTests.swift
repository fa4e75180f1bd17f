// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Store

@Suite struct GenresTests {
    @Test(arguments: [
        ("Rock", ["Rock"]), (" Pop / Rock ;Jazz", ["Pop", "Rock", "Jazz"]), ("a;A;/;a", ["a"]), ("", []), (";;//", []),
    ])
    func separatorsDivide(_ tag: String, _ names: [String]) {
        #expect(CatalogueRecord.Tags.genres(tag) == names)
    }

    /// Each is a row of the catalogue: a tag of a megabyte would make half a million.
    @Test func genresOfAFile_areLimitedInNumberAndLength() {
        let many = (0..<500_000).map { String($0, radix: 36) }.joined(separator: ";")
        #expect(CatalogueRecord.Tags.genres(many).count == CatalogueRecord.Tags.maximumGenres)
        let long = CatalogueRecord.Tags.genres(String(repeating: "x", count: 1_000_000) + ";y")
        #expect(long.map(\.count) == [CatalogueRecord.Tags.maximumGenreLength, 1])
    }
}
