// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import Recording

/// Describes an MP3 file, also one that was cut off at its end or at its beginning. Read here, because a decoder would search
/// for a frame in anything.
enum FrameCounting {
    /// Seconds of work for one file; what takes longer has no length.
    static let patience = 5.0

    /// nil when it is none. No length when it begins within a frame.
    static func describeMPEG(_ descriptor: Int32, size: Int64) -> RecordingEntry.Sound? {
        var block = [UInt8](repeating: 0, count: searched + MPEGFrame.largest)
        let count = pread(descriptor, &block, block.count, 0)
        guard count > 0, let place = firstFrame(block[..<count]), let frame = MPEGFrame(block[place..<place + 4]) else {
            return nil
        }
        let bytes = block[place..<min(count, place + frame.bytes)]
        let samples =
            frame.informedSamples(bytes)
            // A guess: all frames are as long as the first one.
            ?? (place == 0 ? Double(size) / Double(frame.bytes) * Double(frame.samples) : nil)
        return RecordingEntry.Sound(
            duration: samples.map { $0 / Double(frame.sampleRate) }, sampleRate: frame.sampleRate,
            channelCount: frame.channelCount, bits: nil, isFloat: false)
    }

    /// How much of the beginning of a file may be the rest of a frame, or something else.
    private static let searched = 64 << 10

    /// Where the first frame begins. One header may be chance, unless it is where one belongs; the next one bears it out.
    private static func firstFrame(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.count >= 4, MPEGFrame(bytes[..<4]) != nil { return 0 }
        return (0..<max(0, min(searched, bytes.count - 3))).first { place in
            guard bytes[place] == 0xFF, let frame = MPEGFrame(bytes[place..<place + 4]) else { return false }
            let next = place + frame.bytes
            guard next + 4 <= bytes.count, let follower = MPEGFrame(bytes[next..<next + 4]) else { return false }
            return follower.isLike(frame)
        }
    }

    /// Samples per channel; nil when it is not known by `deadline`, a time of `now`. Walks from frame to frame without
    /// decoding (ISO/IEC 11172-3 section 2.4.2.3, 13818-3 for the lower rates).
    static func countMPEG(_ descriptor: Int32, until deadline: Double) -> Int64? {
        var block = [UInt8](repeating: 0, count: 256 << 10)
        var rest: [UInt8] = []
        var frames: Int64 = 0
        var offset = 0
        var isFirst = true
        while true {
            let count = pread(descriptor, &block, block.count, offset)
            guard count >= 0, now() <= deadline else { return nil }
            offset += count
            rest += block[..<count]
            var place = 0
            if isFirst {
                guard let first = firstFrame(rest[...]) else { return nil }
                place = first
            }
            while place + 4 <= rest.count {
                guard let frame = MPEGFrame(rest[place..<place + 4]) else {
                    // Something else than a frame: not one of ours.
                    return nil
                }
                guard place + frame.bytes <= rest.count else { break }
                // The first may be no sound but what LAME says of the file.
                let holdsSound = !isFirst || !frame.isInformation(rest[place..<place + frame.bytes])
                if holdsSound { frames += frame.samples }
                isFirst = false
                place += frame.bytes
            }
            rest.removeFirst(place)
            // The last one may be cut.
            if count == 0 { return frames }
        }
    }

    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The header of a frame of layer III.
private struct MPEGFrame {
    let bytes: Int
    let samples: Int64
    let sampleRate: Int
    let channelCount: Int
    /// Of 320 kbit/s at 32 kHz.
    static let largest = 1_441
    /// From its begin to behind the side information.
    private let sideEnd: Int

    init?(_ header: ArraySlice<UInt8>) {
        let header = Array(header)
        let isFull = header[1] & 0x18 == 0x18
        guard header[0] == 0xFF, header[1] & 0xE0 == 0xE0, header[1] & 0x18 != 0x08, header[1] & 0x06 == 0x02 else {
            return nil
        }
        let rates = isFull ? Self.fullRates : Self.lowRates
        let (bitrate, rate) = (Int(header[2] >> 4), Int(header[2] >> 2 & 3))
        guard (1..<15).contains(bitrate), rate < 3 else { return nil }
        // MPEG 2.5 halves the rates of MPEG 2.
        let divisor = isFull ? 1 : header[1] & 0x18 == 0 ? 4 : 2
        let padding = Int(header[2] >> 1 & 1)
        samples = isFull ? 1_152 : 576
        sampleRate = Self.sampleRates[rate] / divisor
        bytes = (isFull ? 144_000 : 72_000) * rates[bitrate] / sampleRate + padding
        let isMono = header[3] >> 6 == 3
        channelCount = isMono ? 1 : 2
        sideEnd = 4 + (isFull ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    }

    /// Of one stream: what may change from frame to frame is the bit rate, and how two channels are coded.
    func isLike(_ other: MPEGFrame) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount
    }

    func isInformation(_ frame: ArraySlice<UInt8>) -> Bool {
        let mark = frame.dropFirst(sideEnd).prefix(4)
        return mark.elementsEqual("Xing".utf8) || mark.elementsEqual("Info".utf8)
    }

    /// Samples of the whole file by the first frame's Xing and LAME fields; nil without them.
    func informedSamples(_ frame: ArraySlice<UInt8>) -> Double? {
        guard isInformation(frame) else { return nil }
        let fields = Array(frame.dropFirst(sideEnd + 4))
        guard fields.count >= 8, fields[3] & 1 == 1 else { return nil }
        let count = Double(fields[4..<8].reduce(0) { $0 << 8 | UInt32($1) }) * Double(samples)
        // Silence in front and behind, 12 bits each, 21 bytes into LAME's own part.
        let tag = 116
        guard fields.count >= tag + 24, fields[tag..<tag + 4].elementsEqual("LAME".utf8) else { return count }
        let padding = fields[tag + 21..<tag + 24].reduce(0) { $0 << 8 | UInt32($1) }
        return max(0, count - Double(padding >> 12) - Double(padding & 0xFFF))
    }

    /// kbit/s
    private static let fullRates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowRates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44_100, 48_000, 32_000]
}
