// SPDX-License-Identifier: Apache-2.0

import Kernel
import LoadedLibraries
import Testing

@Suite struct OpenSSLSealTests {
    private let seal = OpenSSLSeal(KeyedHash.Key(low: 1, high: 2))
    private let text = Array("https://radio.example/a?token=secret".utf8)

    @Test func open_givesTheText() throws {
        for length in [1, 15, 16, 17, 4_000] {
            let text = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let sealed = try #require(seal.seal(text))
            #expect(sealed.count == length + 28)
            #expect(seal.open(sealed) == text)
        }
    }

    @Test func seal_showsNothing_andIsTheSameForTheSameText() throws {
        let sealed = try #require(seal.seal(text))
        #expect(seal.seal(text) == sealed)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("secret"))
        var other = text
        other[0] ^= 1
        let another = try #require(seal.seal(other))
        // Another nonce: the difference of the texts does not show.
        #expect(another.prefix(12) != sealed.prefix(12))
        #expect(zip(another, sealed).filter { $0 == $1 }.count < 16)
    }

    @Test func open_refusesWhatWasChanged_andOtherKeys() throws {
        let sealed = try #require(seal.seal(text))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x10
            #expect(seal.open(changed) == nil, "byte \(index)")
        }
        #expect(OpenSSLSeal(KeyedHash.Key(low: 1, high: 3)).open(sealed) == nil)
        for length in [0, 11, 27, 28] { #expect(seal.open(Array(sealed.prefix(length))) == nil) }
    }
}
