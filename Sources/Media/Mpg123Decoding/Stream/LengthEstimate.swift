// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel
internal import Media
internal import Playback

/// The length of a stream without a header that has it: the bytes that there are by the bytes that a frame took so far.
struct LengthEstimate {
    /// Byte offset.
    let firstFrame: Int64
    private let audioEnd: Int64?
    private let samplesPerFrame: Int
    private let infoBytes: Int64?
    private let audioStart: Int64

    /// Mean bytes of a frame.
    private var sampledSize: Double?
    /// Of the bytes, as far as spots were looked at: the rest are holes and damage.
    private var audioShare = 1.0
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

    /// The header speaks of more bytes than there are (truncated), or far fewer (files put together). A little is left
    /// to careless taggers.
    var contradictsHeader: Bool {
        guard let infoBytes, let audioEnd else { return false }
        return isCut || Double(audioEnd - audioStart) > Double(infoBytes) * 1.05 + 65_536
    }

    /// The header speaks of more bytes than there are.
    var isCut: Bool {
        guard let infoBytes, let audioEnd else { return false }
        return Double(audioEnd - audioStart) < Double(infoBytes) * 0.98
    }

    /// Looks at a few spots of the file for how many bytes a frame takes: 48 KB in all.
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

    /// Looks at the first frames, which have come anyway or are about to: 8 KB.
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

    /// By the first frames of a variable bit rate; nil for others.
    var ofHead: FrameCount? { headSize.flatMap(length) }

    private func length(_ frameSize: Double) -> FrameCount? {
        guard let audioEnd, audioShare > 0 else { return nil }
        return FrameCount(clamping: (Double(audioEnd - firstFrame) * audioShare / frameSize).rounded())
            * FrameCount(samplesPerFrame)
    }

    /// From the samples taken; nil without any.
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

    /// Where about this frame of `duration` lies.
    func offset(of frame: FrameCount, in duration: FrameCount?) -> Int64 {
        guard let audioEnd, let duration, duration > 0 else { return firstFrame }
        return firstFrame + Int64(clamping: Double(audioEnd - firstFrame) * min(1, Double(frame) / Double(duration)))
    }

    /// A frame was decoded. A new estimate once it is worth a report: it has moved by more than 0.5 % and 10 ms or so.
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

    /// After a seek the frames that follow do not give the mean from the start any more.
    mutating func stopMeasuring() { isMeasuring = false }

    /// All frames before this sample are counted.
    mutating func measure(from sample: FrameCount) {
        frames = sample / FrameCount(samplesPerFrame)
        isMeasuring = true
    }
}

/// Notices damage by what libmpg123 leaves out: a frame that does not begin where the last one ended.
struct DamageCounter {
    var count = 0
    /// Where the next frame should begin; nil after a jump.
    private(set) var expected: Int64?
    private var lastFailure: Int64 = -1

    /// The gap's offset when there is one.
    mutating func frame(at offset: Int64, size: Int) -> Int64? {
        defer { expected = offset + Int64(size) }
        return expected.flatMap { $0 == offset ? nil : $0 }
    }

    mutating func jumped() {
        expected = nil
        lastFailure = -1
    }

    /// After a failure: whether the library has read on since the last one, so that this comes to an end.
    mutating func mayGoOn(at position: Int64) -> Bool {
        defer { lastFailure = position }
        return position > lastFailure
    }
}
