// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel
internal import Media
internal import Playback

/// Estimates the length of a stream whose header lacks it: total bytes divided by the mean size of the frames seen so far.
struct LengthEstimate {
    /// Byte offset of the first frame.
    let firstFrame: Int64
    private let audioEnd: Int64?
    private let samplesPerFrame: Int
    private let infoBytes: Int64?
    private let audioStart: Int64

    /// Mean frame size in bytes, by samples throughout the file.
    private var sampledSize: Double?
    /// Share of the sampled spots that contain audio; the rest are holes and damage.
    private var audioShare = 1.0
    /// Mean frame size in bytes at the beginning.
    private var headSize: Double?
    /// The first frames differ in their bit rate.
    private(set) var isVariable = false
    private var isMeasuring = true
    private var frames: Int64 = 0
    private var lastReported: FrameCount = 0

    init(layout: StreamLayout, firstFrame: Int64, samplesPerFrame: Int) {
        self.firstFrame = firstFrame
        self.samplesPerFrame = samplesPerFrame
        audioEnd = layout.audioEnd
        audioStart = layout.audioStart
        infoBytes = layout.info?.bytes
    }

    /// The header gives more bytes than the file has (truncated), or far fewer (concatenated files). Tolerates careless taggers.
    var contradictsHeader: Bool {
        guard let infoBytes, let audioEnd else { return false }
        return isCut || Double(audioEnd - audioStart) > Double(infoBytes) * 1.05 + 65_536
    }

    /// The header gives more bytes than the file has.
    var isCut: Bool {
        guard let infoBytes, let audioEnd else { return false }
        return Double(audioEnd - audioStart) < Double(infoBytes) * 0.98
    }

    /// Measures the frame size at six spots in the file: 48 KB in total.
    mutating func sample(_ source: any ByteSource) throws(MediaError) {
        guard let audioEnd, audioEnd > firstFrame else { return }
        var bytes = 0
        var frames = 0
        let spots = 6
        var hits = 0
        for spot in 0..<spots {
            let start = firstFrame + (audioEnd - firstFrame) / Int64(2 * spots) * Int64(2 * spot + 1)
            let piece = try source.bytes(at: start, count: 8_192)
            guard var offset = FrameHeader.find(in: piece), let first = FrameHeader(piece[offset...]) else { continue }
            hits += 1
            while offset + 4 <= piece.count, let header = FrameHeader(piece[offset...]), header.continues(first),
                let size = header.size
            {
                bytes += size
                frames += 1
                offset += size
            }
        }
        if frames > 0 { sampledSize = Double(bytes) / Double(frames) }
        audioShare = Double(hits) / Double(spots)
    }

    /// Measures the first 8 KB, which are needed anyway.
    mutating func lookAhead(_ source: any ByteSource) throws(MediaError) {
        let piece = try source.bytes(at: max(0, firstFrame), count: 8_192)
        guard let first = FrameHeader(piece[...]) else { return }
        var (offset, count) = (0, 0)
        while offset + 4 <= piece.count, let header = FrameHeader(piece[offset...]), header.continues(first),
            let size = header.size
        {
            if header.bitrate != first.bitrate { isVariable = true }
            offset += size
            count += 1
        }
        if isVariable { headSize = Double(offset) / Double(count) }
    }

    /// By the first frames, if their bit rate varies; nil otherwise.
    var ofHead: FrameCount? { headSize.flatMap(length) }

    private func length(_ frameSize: Double) -> FrameCount? {
        guard let audioEnd, audioShare > 0 else { return nil }
        return FrameCount(clamping: (Double(audioEnd - firstFrame) * audioShare / frameSize).rounded())
            * FrameCount(samplesPerFrame)
    }

    /// By the sampled spots; nil without samples.
    var sampled: FrameCount? { sampledSize.flatMap(length) }

    func estimate(bitrate: Int?, sampleRate: Int) -> FrameCount? {
        guard let audioEnd, let bitrate, bitrate > 0, audioShare > 0 else { return nil }
        return FrameCount(clamping: Double(audioEnd - firstFrame) * 8 / Double(bitrate) * Double(sampleRate))
    }

    func meanBitrate(frames: FrameCount, sampleRate: Int) -> Int? {
        guard let audioEnd, frames > 0 else { return nil }
        return Int(
            clamping: (Double(audioEnd - firstFrame) * audioShare * 8 * Double(sampleRate) / Double(frames)).rounded())
    }

    /// Approximate byte offset of a frame in a file of `duration` frames.
    func offset(of frame: FrameCount, in duration: FrameCount?) -> Int64 {
        guard let audioEnd, let duration, duration > 0 else { return firstFrame }
        return firstFrame + Int64(clamping: Double(audioEnd - firstFrame) * min(1, Double(frame) / Double(duration)))
    }

    /// Adds a decoded frame. Returns a new estimate if it differs by more than 0.5 % and about 10 ms.
    mutating func frame(at offset: Int64, size: Int) -> FrameCount? {
        guard isMeasuring, let audioEnd, audioShare > 0 else { return nil }
        frames += 1
        guard frames % 64 == 0 else { return nil }
        let passed = offset + Int64(size)
        let perFrame = sampledSize ?? Double(passed - firstFrame) / Double(frames)
        let ahead = Int64(clamping: (Double(max(0, audioEnd - passed)) * audioShare / perFrame).rounded())
        let estimate = (frames + ahead) * FrameCount(samplesPerFrame)
        guard abs(estimate - lastReported) > max(lastReported / 200, 512) else { return nil }
        lastReported = estimate
        return estimate
    }

    /// Call before a seek: later frames do not contribute to the mean from the start.
    mutating func stopMeasuring() { isMeasuring = false }

    /// Resumes measuring after an exact seek: all frames before `sample` count.
    mutating func measure(from sample: FrameCount) {
        frames = sample / FrameCount(samplesPerFrame)
        isMeasuring = true
    }
}

/// Detects damage that libmpg123 skips: a frame that does not start where the last one ended.
struct DamageCounter {
    var count = 0
    /// Expected offset of the next frame; nil after a seek.
    private(set) var expected: Int64?
    private var lastFailure: Int64 = -1

    /// Adds a frame. Returns the offset of the gap before it, if there is one.
    mutating func frame(at offset: Int64, size: Int) -> Int64? {
        defer { expected = offset + Int64(size) }
        return expected.flatMap { $0 == offset ? nil : $0 }
    }

    mutating func seeked() {
        expected = nil
        lastFailure = -1
    }

    /// After a failure: whether the library has advanced since the last one. If not, decoding must end.
    mutating func mayGoOn(at position: Int64) -> Bool {
        defer { lastFailure = position }
        return position > lastFailure
    }
}
