// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Store

@Suite struct SearchTextTests {
    @Test(arguments: [
        ("Björk", "bjork"), ("Bjo\u{308}rk", "bjork"), ("Sigur Rós", "sigur ros"), ("Røyksopp", "royksopp"),
        ("Straße", "strasse"), ("AC/DC", "ac dc"), ("Don’t Stop", "dont stop"), ("don't", "dont"),
        ("Tiếng Việt", "tieng viet"),
        ("周杰倫", "周 杰 倫"), ("ＡＢＣ　１", "abc 1"), ("カタカナ", "か た か な"), ("か\u{3099}", "が"), ("は\u{309A}", "ぱ"),
        ("한국어", "한 국 어"), ("夜曲 (Live)", "夜 曲 live"), ("Кино", "кино"), ("!!!", ""), ("", ""), ("  a  ", "a"),
    ])
    func folded(text: String, expected: String) {
        #expect(SearchText.folded(text) == expected)
    }

    @Test(arguments: [
        ("beat", "\"beat\"*"), ("The Beatles", "\"the\"* AND \"beatles\"*"), ("周杰", "\"周 杰\""), ("AC/DC", "\"ac dc\"*"),
        ("\" OR \"", "\"or\"*"), ("a* NOT b", "\"a\"* AND \"not\"* AND \"b\"*"),
    ])
    func query_isAlwaysAnExpressionOfWords(text: String, expected: String) {
        #expect(SearchText.query(text) == expected)
    }

    @Test(arguments: ["", "  ", "-", "\"\"", "!!!"]) func query_isNilWithoutAWord(text: String) {
        #expect(SearchText.query(text) == nil)
    }

    @Test func sortKey_ordersDigitsByValueAndLettersWithoutAccents() {
        let names = ["10 - a", "2 - b", "Zebra", "Ähre", "apfel", "100"]
        let sorted = names.sorted { SearchText.sortKey($0) < SearchText.sortKey($1) }
        #expect(sorted == ["2 - b", "10 - a", "100", "Ähre", "apfel", "Zebra"])
    }
}
