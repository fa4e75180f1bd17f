// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// For an MP4 file whose index (`moov`) follows its audio, on a server without range support. The index must be read first, so the
/// whole file is loaded before it plays: into the window, or into the cache if there is one.
extension HTTPSource {
    /// By the order of the boxes in the first bytes (ISO/IEC 14496-12, 4.2).
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

    /// Blocks until any offset can be read. Throws `unsupported` if the file is too large.
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

    /// Waits until the cache has written the last bytes.
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
