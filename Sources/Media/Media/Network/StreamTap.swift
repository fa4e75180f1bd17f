// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
public import Service

/// The bytes of a media that is played from the web, for somebody who takes them along: all of them, in order, without a
/// station's titles. It never holds up what is played: what is taken too late is lost to the taker.
///
/// One at a time for a media. `take` is called from one thread, and may wait for the cache's disk.
public final class StreamTap: RecordableStream {
    private let source: HTTPSource
    public let item: String

    init(_ source: HTTPSource, of item: ItemID) {
        self.source = source
        self.item = item.description
    }

    public var size: Int64? { source.size?.bytes }

    public var isLive: Bool { source.broadcast(at: nil) != nil }

    /// By its first bytes; a station is joined anywhere, so that they may mean nothing, and then its media type decides.
    public var format: RecordedFormat {
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
        return FileSignature(head)?.fileExtension.flatMap(RecordedFormat.init(rawValue:)) ?? Self.format(ofType: type)
    }

    private static func format(ofType type: String?) -> RecordedFormat {
        switch type?.prefix(while: { $0 != ";" }).lowercased().trimmingSpaces ?? "" {
        case "audio/aac", "audio/aacp", "audio/x-aac", "audio/mp4a-latm": .aac
        case "audio/ogg", "application/ogg", "audio/opus", "audio/vorbis": .ogg
        case "audio/flac", "audio/x-flac": .flac
        case "audio/mp4", "audio/x-m4a", "video/mp4": .m4a
        case "audio/wav", "audio/x-wav", "audio/wave": .wav
        default: .mp3
        }
    }

    /// `listener` is called whenever there may be more, from any thread and with the source's lock held: it must not
    /// block nor call anything here.
    public func begin(_ listener: @escaping @Sendable () -> Void) throws(RecordingError) -> Int64 {
        guard let start = source.download.withLock({ $0.beginTap() }) else {
            throw .nothingToSave(
                "The beginning of the item is no longer loaded: play it from its beginning, and save it early.")
        }
        source.listener.withLock { $0.call = listener }
        return start
    }

    public func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> StreamPart {
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
        case part(StreamPart)
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
        case .end: return .part(.over(.end))
        case .late: return .part(.over(.tooSlow, "The disk did not keep up."))
        case .elsewhere:
            return .part(.over(.seek, "A seek skipped a part that is not loaded; the file would have a gap."))
        case .failed(let error):
            return .part(error.code == .cancelled ? .over(.left) : .over(.network, error.message))
        }
    }
}
