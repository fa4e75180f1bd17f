// SPDX-License-Identifier: Apache-2.0

public import Playback

/// The bytes of one segment in order, deciphered. Lives on the decode thread.
struct HLSSegmentReader {
    private static let block = 32 << 10

    let slot: HLSSchedule.Slot
    /// Bytes of it that were fetched and read.
    private(set) var consumed: Int64 = 0
    private let source: HTTPSource
    private let cipher: (any SegmentDecryption)?
    private var plain: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// Blocks until the key is there.
    init(_ slot: HLSSchedule.Slot, _ source: HTTPSource, of stream: HLSStream, _ context: HLSContext) throws(MediaError)
    {
        self.slot = slot
        self.source = source
        cipher = try context.deciphering(slot.segment.media, number: slot.segment.sequence, of: stream)
    }

    /// At most `count` bytes; none at the end. Blocks.
    mutating func next(_ count: Int) throws(MediaError) -> ArraySlice<UInt8> {
        while plain.isEmpty, !isAtEnd { try fetch() }
        let part = plain.prefix(count)
        plain = plain.dropFirst(count)
        return part
    }

    /// Puts back what was looked at.
    mutating func putBack(_ bytes: [UInt8]) { plain = bytes[...] + plain }

    private mutating func fetch() throws(MediaError) {
        let range = slot.segment.media.range
        let offset = (range?.lowerBound ?? 0) + consumed
        let count = Int(min(Int64(Self.block), range.map { $0.upperBound - offset } ?? .max))
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        var result: Result<Int, MediaError> = .success(0)
        if count > 0 {
            bytes.withUnsafeMutableBytes { buffer in
                do throws(MediaError) {
                    result = .success(try source.read(into: buffer, at: offset))
                } catch {
                    result = .failure(error)
                }
            }
        }
        let got = try result.get()
        bytes.removeLast(bytes.count - got)
        consumed += Int64(got)
        isAtEnd = got == 0
        guard let cipher else {
            plain = bytes[...]
            return
        }
        plain = try isAtEnd ? cipher.finish()[...] : cipher.update(bytes)[...]
    }
}

extension HLSContext {
    /// nil for what is not ciphered. `number`: of the segment. Blocks until the key is there.
    func deciphering(
        _ part: HLSPart, number: Int64, of stream: HLSStream
    ) throws(MediaError) -> (any SegmentDecryption)? {
        guard let key = part.key else { return nil }
        guard let cipher else {
            throw MediaError(.unsupported, "\(name) is encrypted, and this server cannot decrypt it.")
        }
        let bytes = try stream.bytes(of: HLSPart(reference: key.reference), limit: 1_024)
        guard bytes.count == 16 else {
            throw MediaError(
                .unsupported, "\(name) cannot be played: the key of its segments has \(bytes.count) bytes, not 16.")
        }
        return try cipher.decipher(key: bytes, vector: key.vector(for: number))
    }

    /// A map as the decoder is to get it. Blocks.
    func map(_ part: HLSPart, of stream: HLSStream) throws(MediaError) -> [UInt8] {
        let bytes = try stream.bytes(of: part, limit: Self.largestMap)
        guard let cipher = try deciphering(part, number: 0, of: stream) else { return bytes }
        return try cipher.update(bytes) + cipher.finish()
    }
}

/// Takes AES-128-CBC off the segments of a stream. It decouples them from the library that can do so.
public protocol SegmentCipher: Sendable {
    /// `key` and `vector` have 16 bytes.
    func decipher(key: [UInt8], vector: [UInt8]) throws(MediaError) -> any SegmentDecryption
}

/// One segment, from its beginning. Lives on one thread.
public protocol SegmentDecryption: AnyObject {
    /// The decrypted form of these bytes, together with the rest of those before.
    func update(_ bytes: [UInt8]) throws(MediaError) -> [UInt8]

    /// The rest, without its padding. Throws when the padding is none: another key, or a segment cut short.
    func finish() throws(MediaError) -> [UInt8]
}
