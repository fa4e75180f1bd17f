// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
public import Service

/// Copies the bytes of a web media while it plays: all of them, in order, without a station's titles. It never delays playback:
/// bytes that it reads too late are lost.
///
/// One tap per media. `take` is called from one thread and may wait for the cache's disk.
public final class StreamTap: RecordableStream {
    private let source: HTTPSource
    public let item: String

    init(_ source: HTTPSource, of item: ItemID) {
        self.source = source
        self.item = item.description
    }

    public var size: Int64? { source.size?.bytes }

    public var isLive: Bool { source.broadcast(at: nil) != nil }

    /// By the first bytes, else by the content type: a station may be joined in the middle of a frame.
    public var format: RecordedFormat {
        var head = [UInt8](repeating: 0, count: 1_024)
        let (inMemory, cachedEnd, type) = source.download.withLock { download in
            let count = head.withUnsafeMutableBytes { download.window.copy(at: 0, into: $0) }
            return (count, download.readableCached(from: 0), download.resource?.facts.contentType)
        }
        var count = inMemory
        if count == 0, let cachedEnd {
            count = head.withUnsafeMutableBytes { source.readCached(at: 0, upTo: cachedEnd, into: $0) } ?? 0
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

    /// `listener` is called whenever there may be more bytes, on any thread, with the source's lock held. It must not block or call
    /// this object.
    public func begin(_ listener: @escaping @Sendable () -> Void) throws(RecordingError) -> Int64 {
        guard let start = source.download.withLock({ $0.beginTap() }) else {
            throw .nothingToSave(
                "The beginning of the item is no longer loaded: play it from its beginning, and save it early.")
        }
        source.listener.observe { _ in listener() }
        return start
    }

    public func take(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> StreamPart {
        while true {
            var count = 0
            let answer = source.download.withLock { download in
                let answer = download.tap(at: offset)
                if case .available(let end, _) = answer {
                    let room = Int(min(Int64(buffer.count), end - offset))
                    count = download.window.copy(
                        at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
                }
                return answer
            }
            switch answer {
            case .available(_, let isAfterGap): return .bytes(count, isAfterGap: isAfterGap)
            case .cached(let end):
                if let count = source.readCached(at: offset, upTo: end, into: buffer), count > 0 {
                    return .bytes(count, isAfterGap: false)
                }
                source.cacheFailed()
            case .wait: return .nothingYet
            case .end: return .over(.end)
            case .late: return .over(.tooSlow, "The disk did not keep up.")
            case .elsewhere:
                return .over(.seek, "A seek skipped a part that is not loaded; the file would have a gap.")
            case .failed(let error):
                return error.code == .cancelled ? .over(.left) : .over(.network, error.message)
            }
        }
    }

    public func end() {
        source.listener.observe { _ in }
        source.download.withLock { $0.tapped = nil }
    }
}
