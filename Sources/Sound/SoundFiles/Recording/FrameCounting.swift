// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Media
import Service

/// Describes an MP3 file, also one truncated at either end. Implemented here because a decoder would find frames in any
/// data.
enum FrameCounting {
    /// Time limit in seconds for one file; a file that takes longer has no length.
    static let patience = 5.0

    /// nil if it is not an MP3 file. Without a length if it begins within a frame.
    static func describeMPEG(_ descriptor: Int32, size: Int64) -> RecordingEntry.Sound? {
        var block = [UInt8](repeating: 0, count: searched + largestFrame)
        let count = pread(descriptor, &block, block.count, 0)
        guard count > 0, let place = firstFrame(block[..<count]), let frame = parse(block[place...]) else { return nil }
        let first = Array(block[place..<min(count, place + frame.size)])
        let samples =
            InfoFrame(first).flatMap { info in
                info.frames.map { max(0, Double($0) * Double(frame.header.samplesPerFrame) - Double(info.padding)) }
            }
            // An estimate: all frames have the length of the first one.
            ?? (place == 0 ? Double(size) / Double(frame.size) * Double(frame.header.samplesPerFrame) : nil)
        return RecordingEntry.Sound(
            duration: samples.map { $0 / Double(frame.header.sampleRate) }, sampleRate: frame.header.sampleRate,
            channelCount: frame.header.isMono ? 1 : 2, bits: nil, isFloat: false)
    }

    /// At 320 kbit/s and 32 kHz.
    private static let largestFrame = 1_441

    /// A frame of layer III with a length in its header.
    private static func parse(_ bytes: ArraySlice<UInt8>) -> (header: FrameHeader, size: Int)? {
        guard let header = FrameHeader(bytes), header.layer == 3, let size = header.size else { return nil }
        return (header, size)
    }

    /// Bytes at the beginning of a file that may be the rest of a frame, or other data.
    private static let searched = 64 << 10

    /// Finds the first frame. One header alone may be accidental, unless it is at the expected place; the next header
    /// confirms it.
    private static func firstFrame(_ bytes: ArraySlice<UInt8>) -> Int? {
        if parse(bytes) != nil { return 0 }
        return (0..<max(0, min(searched, bytes.count - 3))).first { place in
            guard bytes[place] == 0xFF, let (header, size) = parse(bytes[place...]) else { return false }
            let next = place + size
            // Within a stream, the bit rate and the coding of two channels may change.
            guard next + 4 <= bytes.count, let (follower, _) = parse(bytes[next...]) else { return false }
            return follower.sampleRate == header.sampleRate && follower.isMono == header.isMono
        }
    }

    /// Samples per channel; nil if unknown at `deadline`. Walks from frame to frame without decoding (ISO/IEC 11172-3
    /// section 2.4.2.3, 13818-3 for the lower rates).
    static func countMPEG(_ descriptor: Int32, until deadline: MonotonicTime) -> Int64? {
        var block = [UInt8](repeating: 0, count: 256 << 10)
        var rest: [UInt8] = []
        var samples: Int64 = 0
        var offset = 0
        var isFirst = true
        while true {
            let count = pread(descriptor, &block, block.count, offset)
            guard count >= 0, .now <= deadline else { return nil }
            offset += count
            rest += block[..<count]
            var place = 0
            if isFirst {
                guard let first = firstFrame(rest[...]) else { return nil }
                place = first
            }
            while place + 4 <= rest.count {
                // Data other than a frame: the file is not a recording of ours.
                guard let (header, size) = parse(rest[place...]) else { return nil }
                guard place + size <= rest.count else { break }
                // The first frame may be LAME's description of the file instead of sound.
                if !isFirst || InfoFrame(Array(rest[place..<place + size])) == nil {
                    samples += Int64(header.samplesPerFrame)
                }
                isFirst = false
                place += size
            }
            rest.removeFirst(place)
            // The last frame may be truncated.
            if count == 0 { return samples }
        }
    }
}
