// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback

/// The bytes of a media that is played from the web, for somebody who takes them along: all of them, in order, without a
/// station's titles. It never holds up what is played: what is taken too late is lost to the taker.
///
/// One at a time for a media. `take` is called from one thread, and may wait for the cache's disk.
public final class StreamTap: Sendable {
    public enum Part: Sendable {
        /// So many bytes; before them something is missing, as a station was joined anew.
        case bytes(Int, isAfterGap: Bool)
        /// They will be reported.
        case nothingYet
        /// The media has no more.
        case end
        /// They have left the memory meanwhile.
        case tooLate
        /// A jump: what comes now does not join what was taken.
        case elsewhere
        /// The source was closed: nobody plays it any more.
        case closed
        /// With a sentence.
        case failed(String)
    }

    private let source: HTTPSource

    init(_ source: HTTPSource) { self.source = source }

    /// Bytes in all; nil for a station, and while unknown.
    public var size: Int64? { source.size?.bytes }

    public var isLive: Bool { source.broadcast(at: nil) != nil }

    /// The extension of its file: by its first bytes; a station is joined anywhere, so that they may mean nothing, and then
    /// its media type decides.
    public var fileExtension: String {
        var head = [UInt8](repeating: 0, count: 1_024)
        let (inMemory, cachedEnd, type) = source.download.withLock { download in
            let count = head.withUnsafeMutableBytes { download.window.copy(at: 0, into: $0) }
            return (count, download.readableCached(from: 0), download.resource?.contentType)
        }
        var count = inMemory
        if count == 0, let cachedEnd {
            count = head.withUnsafeMutableBytes { readCached(at: 0, upTo: cachedEnd, into: $0) } ?? 0
        }
        head.removeLast(head.count - count)
        return FileSignature(head)?.fileExtension ?? Self.fileExtension(ofType: type)
    }

    private static func fileExtension(ofType type: String?) -> String {
        switch type?.prefix(while: { $0 != ";" }).lowercased().trimmingSpaces ?? "" {
        case "audio/aac", "audio/aacp", "audio/x-aac", "audio/mp4a-latm": "aac"
        case "audio/ogg", "application/ogg", "audio/opus", "audio/vorbis": "ogg"
        case "audio/flac", "audio/x-flac": "flac"
        case "audio/mp4", "audio/x-m4a", "video/mp4": "m4a"
        case "audio/wav", "audio/x-wav", "audio/wave": "wav"
        default: "mp3"
        }
    }

    /// `listener` is called whenever there may be more, from any thread and with the source's lock held: it must not
    /// block nor call anything here.
    /// - Returns: the first byte's place; nil when the beginning of what has one is not there any more.
    public func begin(_ listener: @escaping @Sendable () -> Void) -> Int64? {
        guard let start = source.download.withLock({ $0.beginTap() }) else { return nil }
        source.listener.withLock { $0.call = listener }
        return start
    }

    public func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Part {
        while true {
            switch source.download.withLock({ take(at: offset, into: buffer, &$0) }) {
            case .part(let part): return part
            case .cached(let end):
                if let count = readCached(at: offset, upTo: end, into: buffer), count > 0 {
                    return .bytes(count, isAfterGap: false)
                }
                // As the reader does, which comes to the same place or has passed it.
                source.cacheFailed()
            }
        }
    }

    /// Not with the lock held: the disk may take its time.
    private func readCached(at offset: Int64, upTo end: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), end - offset))])
        return source.cached.withLock { $0 }?.read(into: part, at: offset)
    }

    public func end() {
        source.listener.withLock { $0.call = nil }
        source.download.withLock { $0.tapped = nil }
    }

    private enum Found {
        case part(Part)
        case cached(upTo: Int64)
    }

    private func take(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, _ download: inout Download
    ) -> Found {
        switch download.tap(at: offset) {
        case .available(let end, let isAfterGap):
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), end - offset))])
            return .part(.bytes(download.window.copy(at: offset, into: room), isAfterGap: isAfterGap))
        case .cached(let end): return .cached(upTo: end)
        case .wait: return .part(.nothingYet)
        case .end: return .part(.end)
        case .late: return .part(.tooLate)
        case .elsewhere: return .part(.elsewhere)
        case .failed(let error): return .part(error.code == .cancelled ? .closed : .failed(error.message))
        }
    }
}
