// SPDX-License-Identifier: Apache-2.0

internal import Audio

enum DecodePlanEvent {
    /// The frames from ring index `start` on hold the media from `position` (seconds) on.
    case wrote(start: FrameCount, position: Double, Timeline.Pace)
    /// Applies from this ring index on.
    case mediaChanged(start: FrameCount)
    /// The item ends before `end`; its last frames are held back.
    case held(HeldTail, end: FrameCount)
}

/// The rest of the item and all its repetitions, or the endless repetition of a part.
struct WholePlan {
    /// Ring frames; shorter repetitions are reported together.
    private static let shortestReported: FrameCount = 4_800

    private let loops: Int
    private let beginTime: Double
    /// Seconds.
    private let endTime: Double
    /// Seconds at the start that are decoded but not written.
    private let lead: Double

    init(_ start: DecodeStart, lead: Double) {
        self.lead = lead
        loops = start.part == nil ? start.loops : -1
        beginTime = start.part?.begin ?? start.beginTime
        endTime = start.part?.end ?? .infinity
    }

    /// The position is after the part that is repeated.
    func isBehind(_ position: Double) -> Bool { endTime.isFinite && position >= endTime }

    func rewind(_ reader: DecodeReader) throws(MediaError) {
        try reader.seek(to: beginTime)
        try reader.fill()
    }

    /// Writes to the end, then calls `finish` on the writer. Throws `cancelled` if the lease is revoked.
    func play(
        _ reader: DecodeReader, into writer: inout RingWriter, report: (DecodePlanEvent) -> Void
    ) throws(MediaError) {
        var lead = lead
        if isBehind(reader.position + lead) {
            try rewind(reader)
            (lead, writer.feed.lead) = (0, 0)
        }
        var roundsLeft = loops
        var reported: FrameCount?
        // nil during the first round, which may start anywhere.
        var round: ShortRound?
        while true {
            let start = writer.feed.writeIndex
            let isKept = round?.isWhole == true
            if reported.map({ start - $0 >= Self.shortestReported }) ?? true {
                let position = isKept ? beginTime : reader.position + (reported == nil ? lead : 0)
                report(.wrote(start: start, position: position, .played(writer.tempo.rate)))
                reported = start
            }
            if let round, isKept {
                let rounds = roundsLeft < 0 ? round.kept : min(round.kept, roundsLeft + 1)
                try round.write(rounds, into: &writer)
                if roundsLeft > 0 { roundsLeft -= rounds - 1 }
            } else {
                try writeAll(reader, &writer, &round, isLast: roundsLeft == 0, report)
                round?.complete()
            }
            try writer.flushConverters()
            // A round without a frame would repeat forever in silence.
            guard roundsLeft != 0, writer.feed.writeIndex > start || roundsLeft > 0 else { break }
            if roundsLeft > 0 { roundsLeft -= 1 }
            if round?.isWhole == true { continue }
            round = ShortRound()
            try rewind(reader)
        }
        try writer.finish { report(.held($0, end: $1)) }
    }

    private func writeAll(
        _ reader: DecodeReader, _ writer: inout RingWriter, _ round: inout ShortRound?, isLast: Bool,
        _ report: (DecodePlanEvent) -> Void
    ) throws(MediaError) {
        while true {
            try reader.fill()
            if isLast, let left = reader.secondsLeft { writer.approach(end: left) }
            if reader.takeMediaChange() { report(.mediaChanged(start: writer.feed.writeIndex)) }
            let frames = min(reader.available, reader.framesLeft(until: endTime))
            guard frames > 0 else { return }
            let chunk = UnsafeBufferPointer(rebasing: reader.chunk.prefix(frames * reader.format.channelCount))
            try writer.write(chunk, format: reader.format)
            round?.append(chunk, reader.format)
            reader.consume(frames)
        }
    }
}

/// A very short round: repeated from memory, several at a time, so that the sink does not run dry.
private struct ShortRound {
    /// Samples of all channels: 0.1 s in stereo.
    private static let longest = 8_820

    /// Interleaved; empty if the round is too long or changes its format. Once complete, holds `kept` rounds.
    private var samples: [Float] = []
    private(set) var kept = 1
    private var format: AudioFormat?
    private var isTooLong = false
    private(set) var isWhole = false

    mutating func append(_ chunk: UnsafeBufferPointer<Float>, _ format: AudioFormat) {
        guard !isTooLong else { return }
        isTooLong = samples.count + chunk.count > Self.longest || (self.format ?? format) != format
        self.format = format
        if isTooLong { samples = [] } else { samples.append(contentsOf: chunk) }
    }

    mutating func complete() {
        isWhole = !samples.isEmpty
        guard isWhole, let format else { return }
        // At most 0.1 s, which is reported as one segment.
        let frames = samples.count / format.channelCount
        kept = min(Self.longest / samples.count, max(1, format.sampleRate / 10 / frames))
        samples = (0..<kept).flatMap { [samples] _ in samples }
    }

    func write(_ rounds: Int, into writer: inout RingWriter) throws(MediaError) {
        guard let format else { return }
        try samples.withUnsafeBufferPointer { buffer throws(MediaError) in
            try writer.write(UnsafeBufferPointer(rebasing: buffer.prefix(buffer.count / kept * rounds)), format: format)
        }
    }
}

/// Rewind and fast-forward: short blocks at normal pitch with jumps between them, so that the position moves at `rate`. A
/// rewind continues as normal playback at the start of the media, and so does a scan past the end of an A-B loop.
struct ScanPlan {
    /// Seconds of a block.
    static let block = 0.12
    static let fade = 0.005

    let rate: Double
    /// The tempo of normal playback after the scan.
    let tempo: Tempo
    let whole: WholePlan

    /// Like `WholePlan.play`.
    func play(
        _ reader: DecodeReader, into writer: inout RingWriter, report: (DecodePlanEvent) -> Void
    ) throws(MediaError) {
        var position = reader.position
        while position > 0 || rate > 0 {
            report(.wrote(start: writer.feed.writeIndex, position: position, .scan(rate)))
            let isOver = try writeBlock(reader, &writer)
            if reader.takeMediaChange() { report(.mediaChanged(start: writer.feed.writeIndex)) }
            position += Self.block * rate
            if rate > 0, whole.isBehind(isOver ? .infinity : position) {
                try whole.rewind(reader)
                break
            }
            if isOver, rate > 0 { return try writer.finish() }
            try reader.seek(to: max(0, position))
            try reader.fill()
        }
        try writer.change(tempo)
        try whole.play(reader, into: &writer, report: report)
    }

    /// Returns true if the media ended within the block.
    private func writeBlock(_ reader: DecodeReader, _ writer: inout RingWriter) throws(MediaError) -> Bool {
        let format = reader.format
        let length = Int(format.frames(Self.block))
        var samples = [Float]()
        samples.reserveCapacity(length * format.channelCount)
        while samples.count < length * format.channelCount {
            try reader.fill()
            guard reader.available > 0, reader.format == format else { break }
            let frames = min(reader.available, length - samples.count / format.channelCount)
            samples.append(contentsOf: reader.chunk.prefix(frames * format.channelCount))
            reader.consume(frames)
        }
        fadeEdges(&samples, format)
        try samples.withUnsafeBufferPointer { buffer throws(MediaError) in
            try writer.write(buffer, format: format)
        }
        try writer.flushConverters()
        return samples.count < length * format.channelCount
    }

    private func fadeEdges(_ samples: inout [Float], _ format: AudioFormat) {
        let channels = format.channelCount
        let frames = samples.count / channels
        let ramp = min(Int(format.frames(Self.fade)), frames / 2)
        for frame in 0..<ramp {
            let gain = Float(frame) / Float(ramp)
            for channel in 0..<channels {
                samples[frame * channels + channel] *= gain
                samples[(frames - 1 - frame) * channels + channel] *= gain
            }
        }
    }
}
