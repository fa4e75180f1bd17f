// SPDX-License-Identifier: Apache-2.0

import Media
import Playback
import Testing

@testable import LoadedLibraries

@Suite struct OpenSSLCipherTests {
    /// NIST SP 800-38A, F.2.2: CBC-AES128.Decrypt, its four blocks.
    static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    static let vector = bytes("000102030405060708090a0b0c0d0e0f")
    static let ciphered = bytes(
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
            + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7")
    static let plain = bytes(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

    static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).map { index in
            UInt8(text.dropFirst(index).prefix(2), radix: 16)!
        }
    }

    @Test(arguments: [1, 7, 16, 64]) func knownBlocks_comeOut_whateverTheParts(size: Int) throws {
        let segment = try OpenSSLCipher().decryption(key: Self.key, vector: Self.vector)
        var result: [UInt8] = []
        for start in stride(from: 0, to: Self.ciphered.count, by: size) {
            result += try segment.update(Array(Self.ciphered[start..<min(Self.ciphered.count, start + size)]))
        }
        // The last block could be padding: it stays until the end is known.
        #expect(result == Array(Self.plain.dropLast(16)))
        // It is none.
        #expect(throws: MediaError.self) { try segment.finish() }
    }

    @Test func cutSegment_isAnError() throws {
        let segment = try OpenSSLCipher().decryption(key: Self.key, vector: Self.vector)
        _ = try segment.update(Array(Self.ciphered.dropLast(3)))
        #expect(throws: MediaError.self) { try segment.finish() }
    }

    @Test func keyOfAnotherLength_isRefused() {
        #expect(throws: MediaError.self) { try OpenSSLCipher().decryption(key: [1, 2], vector: Self.vector) }
    }
}
