// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Reads the bytes of one segment in order, decrypted. Lives on the decode thread.
struct HLSSegmentReader {
    private static let block = 32 << 10

    let slot: HLSSchedule.Slot
    /// Bytes read from the source, before decryption.
    private(set) var consumed: Int64 = 0
    private let source: HTTPSource
    private let cipher: (any SegmentDecryption)?
    private var plain: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// Blocks until the key has arrived.
    init(_ slot: HLSSchedule.Slot, _ source: HTTPSource, of stream: HLSStream, _ context: HLSContext) throws(MediaError)
    {
        self.slot = slot
        self.source = source
        cipher = try context.decryption(of: slot.segment.media, sequence: slot.segment.sequence, in: stream)
    }

    /// At most `count` bytes; none at the end. Blocks.
    mutating func next(_ count: Int) throws(MediaError) -> ArraySlice<UInt8> {
        while plain.isEmpty, !isAtEnd { try fetch() }
        let part = plain.prefix(count)
        plain = plain.dropFirst(count)
        return part
    }

    /// Puts bytes back in front of the unread ones.
    mutating func putBack(_ bytes: [UInt8]) { plain = bytes[...] + plain }

    private mutating func fetch() throws(MediaError) {
        let range = slot.segment.media.range
        let offset = (range?.lowerBound ?? 0) + consumed
        let count = Int(min(Int64(Self.block), range.map { $0.upperBound - offset } ?? .max))
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let result: Result<Int, MediaError> = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(MediaError) in try count > 0 ? source.read(into: buffer, at: offset) : 0 }
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
    /// nil for a part that is not encrypted. `sequence`: the segment's number. Blocks until the key has arrived.
    func decryption(
        of part: HLSPart, sequence: Int64, in stream: HLSStream
    ) throws(MediaError) -> (any SegmentDecryption)? {
        guard let key = part.key else { return nil }
        guard let cipher else {
            throw MediaError(.unsupported, "\(name) is encrypted, and this server cannot decrypt it.")
        }
        let bytes = try stream.bytes(of: HLSPart(reference: key.reference), limit: 1_024, as: "a key")
        guard bytes.count == 16 else {
            throw MediaError(
                .unsupported, "\(name) cannot be played: the key of its segments has \(bytes.count) bytes, not 16.")
        }
        return try cipher.decryption(key: bytes, vector: key.vector(for: sequence))
    }

    /// An initialization section, decrypted. Blocks.
    func map(_ part: HLSPart, of stream: HLSStream) throws(MediaError) -> [UInt8] {
        let bytes = try stream.bytes(of: part, limit: Self.largestMap, as: "an initialization section")
        guard let cipher = try decryption(of: part, sequence: 0, in: stream) else { return bytes }
        return try cipher.update(bytes) + cipher.finish()
    }
}

/// Decrypts AES-128-CBC segments. The protocol decouples HLS from the crypto library.
public protocol SegmentCipher: Sendable {
    /// `key` and `vector` have 16 bytes.
    func decryption(key: [UInt8], vector: [UInt8]) throws(MediaError) -> any SegmentDecryption
}

/// One segment, from its beginning. Lives on one thread.
public protocol SegmentDecryption: AnyObject {
    /// Decrypts these bytes, together with bytes held back by earlier calls.
    func update(_ bytes: [UInt8]) throws(MediaError) -> [UInt8]

    /// The last bytes, without padding. Throws if the padding is invalid: wrong key or truncated segment.
    func finish() throws(MediaError) -> [UInt8]
}
