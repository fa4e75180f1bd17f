// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
public import Kernel
public import Service

/// Seals addresses with AES-128-GCM by OpenSSL's libcrypto. The nonce is a keyed hash of the text, so that equal texts have equal seals
/// and an unchanged item keeps its reference.
public struct OpenSSLSeal: AddressCipher {
    private static let nonceLength = 12
    private static let tagLength = 16

    private let key: [UInt8]
    private let nonceKeys: [KeyedHash.Key]

    /// `secret`: permanent; all keys are derived from it.
    public init(_ secret: KeyedHash.Key) {
        func derived(_ purpose: String) -> UInt64 {
            var hash = KeyedHash(secret)
            hash.add(purpose)
            return hash.value
        }
        key = Self.bytes(derived("cipher 1")) + Self.bytes(derived("cipher 2"))
        nonceKeys = (1...2).map {
            KeyedHash.Key(low: derived("nonce \($0) low"), high: derived("nonce \($0) high"))
        }
    }

    public func seal(_ text: [UInt8]) -> [UInt8]? {
        let nonce = nonce(of: text)
        return withCipher { crypto, context in
            guard crypto.EncryptInit_ex(context, crypto.aes_128_gcm(), nil, key, nonce) == 1,
                let sealed = Self.output(of: text, { crypto.EncryptUpdate(context, $0, $1, $2, $3) })
            else { return nil }
            var tag = [UInt8](repeating: 0, count: Self.tagLength)
            var rest: Int32 = 0
            var none: UInt8 = 0
            guard crypto.EncryptFinal_ex(context, &none, &rest) == 1,
                crypto.CIPHER_CTX_ctrl(context, Int32(CCRYPTO_GET_TAG), Int32(Self.tagLength), &tag) == 1
            else { return nil }
            return nonce + sealed + tag
        }
    }

    public func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceLength + Self.tagLength else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceLength))
        var tag = Array(sealed.suffix(Self.tagLength))
        return withCipher { crypto, context in
            guard crypto.DecryptInit_ex(context, crypto.aes_128_gcm(), nil, key, nonce) == 1,
                let text = Self.output(
                    of: Array(sealed.dropFirst(Self.nonceLength).dropLast(Self.tagLength)),
                    { crypto.DecryptUpdate(context, $0, $1, $2, $3) })
            else { return nil }
            var rest: Int32 = 0
            var none: UInt8 = 0
            // The last call verifies the tag.
            guard crypto.CIPHER_CTX_ctrl(context, Int32(CCRYPTO_SET_TAG), Int32(Self.tagLength), &tag) == 1,
                crypto.DecryptFinal_ex(context, &none, &rest) == 1
            else { return nil }
            return text
        }
    }

    private func nonce(of text: [UInt8]) -> [UInt8] {
        let parts = nonceKeys.flatMap { key in
            var hash = KeyedHash(key)
            hash.add(text)
            return Self.bytes(hash.value)
        }
        return Array(parts.prefix(Self.nonceLength))
    }

    private static func bytes(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }

    private func withCipher(_ body: (ccrypto, UnsafeMutableRawPointer) -> [UInt8]?) -> [UInt8]? {
        guard case .success(let library) = OpenSSLCipher.library else { return nil }
        let crypto = library.functions.pointee
        guard let context = crypto.CIPHER_CTX_new() else { return nil }
        defer { crypto.CIPHER_CTX_free(context) }
        return body(crypto, context)
    }

    /// GCM's output is as long as its input.
    private static func output(
        of input: [UInt8],
        _ update: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int32) -> Int32
    ) -> [UInt8]? {
        guard let count = Int32(exactly: input.count), count > 0 else { return nil }
        var isDone = false
        let output = [UInt8](unsafeUninitializedCapacity: input.count) { buffer, written in
            var length: Int32 = 0
            isDone = update(buffer.baseAddress, &length, input, count) == 1 && length == count
            written = isDone ? input.count : 0
        }
        return isDone ? output : nil
    }
}
