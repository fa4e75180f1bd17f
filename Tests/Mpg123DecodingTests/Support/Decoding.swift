// SPDX-License-Identifier: Apache-2.0

import Audio
import Glibc
import Media
import Mpg123Decoding
import Kernel
import Playback
import Synchronization

/// Bytes in memory that count how often they are read.
final class MemorySource: ByteSource {
    let name = "memory.mp3"
    let size: ByteCount?
    let isSeekable: Bool
    let isLocal: Bool
    private let bytes: [UInt8]
    private let total = Atomic<Int>(0)
    private let isClosed = Atomic(false)
    private let readsLeft: Atomic<Int>

    init(_ bytes: [UInt8], isSeekable: Bool = true, isLocal: Bool = true, closesAfter: Int = .max) {
        self.isLocal = isLocal
        self.bytes = bytes
        self.isSeekable = isSeekable
        readsLeft = Atomic(closesAfter)
        size = isSeekable ? ByteCount(bytes.count) : nil
    }

    /// The highest byte that was read.
    private let farthest = Atomic<Int>(0)
    var farthestRead: Int { farthest.load(ordering: .relaxed) }
    var bytesRead: Int { total.load(ordering: .relaxed) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) -> Int {
        if readsLeft.subtract(1, ordering: .relaxed).oldValue <= 0 || isClosed.load(ordering: .relaxed) {
            throw MediaError(.cancelled, "closed")
        }
        let count = max(0, min(buffer.count, bytes.count - Int(min(offset, Int64(bytes.count)))))
        guard count > 0 else { return 0 }
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
        }
        farthest.max(Int(offset) + count, ordering: .relaxed)
        total.add(count, ordering: .relaxed)
        return count
    }

    func close() { isClosed.store(true, ordering: .relaxed) }
}

func openDecoder(_ path: String) throws -> any AudioDecoder {
    let slash = path.lastIndex(of: "/")!
    let roots = MusicRoots([String(path[..<slash])])
    let opener = LocalMediaOpener(roots: roots, factories: [Mpg123DecoderFactory()])
    let uri = String(path[path.index(after: slash)...])
    return try opener.open(MediaLocator(uri: uri), cancellation: MediaCancellation())
}

extension AudioDecoder {
    /// The next frames, up to `limit`; stops before a change of format.
    func frames(_ limit: Int = .max, chunk: Int = 4_096) throws -> (samples: [Float], ended: Bool) {
        var samples: [Float] = []
        let channels = media.format.channelCount
        let format = media.format
        var buffer = [Float](repeating: 0, count: chunk * channels)
        while samples.count / channels < limit {
            let wanted = max(1_152, min(chunk, limit - samples.count / channels))
            let decoded = try buffer.withUnsafeMutableBufferPointer {
                try decode(into: UnsafeMutableBufferPointer(rebasing: $0[..<(wanted * channels)]))
            }
            samples += buffer[..<(decoded.frames * channels)]
            if decoded.endOfStream { return (samples, true) }
            if media.format != format { return (samples, false) }
        }
        return (samples, false)
    }
}

/// The largest difference in 16-bit steps.
func distance(_ samples: some Collection<Float>, _ reference: some Collection<Int16>) -> Float {
    zip(samples, reference).reduce(0) { worst, pair in
        let clipped = min(max(pair.0 * 32_768, -32_768), 32_767)
        return max(worst, abs(clipped - Float(pair.1)))
    }
}

/// The largest difference of samples.
func difference(_ samples: some Collection<Float>, _ expected: some Collection<Float>) -> Float {
    zip(samples, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
}
