// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// A film whose index (`moov`) stands behind its sound, on a server that sends it in one go only. Its place in the file must be
/// read first, so all of it is loaded before it plays: into the window, or into the cache where there is one.
extension HTTPSource {
    /// The order of the boxes in the first bytes (ISO/IEC 14496-12, 4.2).
    static func hasIndexLast(_ head: [UInt8]) -> Bool {
        guard FileSignature(head) == .mp4 else { return false }
        var offset = 0
        while offset + 8 <= head.count {
            switch String(decoding: head[offset + 4..<offset + 8], as: UTF8.self) {
            case "mdat": return true
            case "moov": return false
            default: break
            }
            let size = head[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8 else { return false }
            offset += size
        }
        return false
    }

    /// Blocks until any place can be read. Throws `unsupported` when it is too large for that.
    func loadWhole() throws(MediaError) {
        keep()
        let isKept = cached.withLock { $0 != nil }
        let room = download.withLock { Int64($0.limits.memory) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteWindow.pageSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            if count == 0 { break }
            offset += Int64(count)
            if !isKept, max(offset, size?.bytes ?? 0) > room { throw isTooLarge(isKept) }
        }
        waitForCache()
        guard isSeekable else { throw isTooLarge(isKept) }
    }

    /// Its disk may be some bytes behind.
    private func waitForCache() {
        let deadline = transport.now.advanced(bySeconds: 5)
        transport.call(at: deadline) { [weak self] in self?.download.change { _ in } }
        download.wait { $0.isWhole || $0.failure != nil || transport.now >= deadline ? () : nil }
    }

    private func isTooLarge(_ isKept: Bool) -> MediaError {
        let advice =
            isKept ? "it is larger than the room in the cache" : "it is too large to be loaded first without a cache"
        return MediaError(
            .unsupported,
            "\(name) cannot be played: its index is at its end, its server supports no ranges, and \(advice).")
    }
}
