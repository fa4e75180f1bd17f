// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
internal import Kernel
public import Media
public import Playback

/// AES-128-CBC by OpenSSL's libcrypto, which is loaded at the first key: most streams are not encrypted.
public struct OpenSSLCipher: SegmentCipher {
    static let library = Result { () throws(MissingLibrary) in try LoadedLibrary(ccrypto(), ccrypto_load) }

    public init() {}

    public func decryption(key: [UInt8], vector: [UInt8]) throws(MediaError) -> any SegmentDecryption {
        let library = try Self.library.mapError { missing in
            MediaError(.unsupported, "Encrypted streams need libcrypto, which cannot be loaded: \(missing.reason).")
        }.get()
        return try OpenSSLDecryption(library, key: key, vector: vector)
    }
}

final class OpenSSLDecryption: SegmentDecryption {
    private static let block = 16

    private let library: LoadedLibrary<ccrypto>
    private let context: UnsafeMutableRawPointer

    init(_ library: LoadedLibrary<ccrypto>, key: [UInt8], vector: [UInt8]) throws(MediaError) {
        guard key.count == Self.block, vector.count == Self.block else {
            throw MediaError(.unsupported, "A key and its vector must have 16 bytes.")
        }
        guard let context = library.functions.pointee.CIPHER_CTX_new() else {
            throw MediaError(.unsupported, "Out of memory for decryption.")
        }
        self.library = library
        self.context = context
        let crypto = library.functions.pointee
        guard crypto.DecryptInit_ex(context, crypto.aes_128_cbc(), nil, key, vector) == 1 else {
            throw MediaError(.unsupported, "AES-128 is not available in this system's libcrypto.")
        }
    }

    deinit { library.functions.pointee.CIPHER_CTX_free(context) }

    func update(_ bytes: [UInt8]) throws(MediaError) -> [UInt8] {
        guard !bytes.isEmpty, let count = Int32(exactly: bytes.count) else { return [] }
        return try output(room: bytes.count + Self.block) { output, length in
            library.functions.pointee.DecryptUpdate(context, output, length, bytes, count)
        }
    }

    func finish() throws(MediaError) -> [UInt8] {
        try output(room: Self.block) { output, length in
            library.functions.pointee.DecryptFinal_ex(context, output, length)
        }
    }

    private func output(
        room: Int, _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>) -> Int32
    ) throws(MediaError) -> [UInt8] {
        var isDone = false
        let result = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            var length: Int32 = 0
            isDone = body(buffer.baseAddress, &length) == 1
            count = isDone ? Int(length) : 0
        }
        guard isDone else {
            throw MediaError(.unsupported, "A segment of the stream cannot be decrypted: wrong key, or truncated.")
        }
        return result
    }
}
