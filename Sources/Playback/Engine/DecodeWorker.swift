// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The state of a decode thread; used only on that thread.
struct DecodeWorker {
    var start: DecodeStart
    let conversion: any SampleRateConversion
    let stretching: any TimeStretching
    let buffering: DecodeBuffering
    let ahead: SharedSeconds
    let mailbox: Mailbox<DecodeSession.Command>
    let cancellation: MediaCancellation
    let meter: DecodeMeter
    let overlapLimit: SharedSeconds
    let report: @Sendable (DecodeEvent) -> Void

    var run = DecodeRun()
    /// Seconds that are decoded before the start position.
    var lead = 0.0
    /// Commands from the mailbox that wait, the next one last.
    var taken: [DecodeSession.Command] = []

    mutating func run(_ locator: MediaLocator, opener: any MediaOpener) {
        do {
            let decoder = try opener.open(locator, cancellation: cancellation) { [report] in report(.loading($0)) }
            let reader = DecodeReader(decoder, chunk: buffering.frames, cancellation: cancellation, meter: meter)
            report(.opened(decoder.media))
            try begin(reader)
            try serve(reader)
        } catch {
            if error.code != .cancelled { report(.failed(run, error, end: nil)) }
            awaitEnd(error)
        }
    }

    /// Seeks to the start position and decodes its first frames, so that feeding starts without delay.
    private mutating func begin(_ reader: DecodeReader) throws(MediaError) {
        let media = reader.decoder.media
        let duration = media.durationInSeconds
        let seconds: Double =
            switch start.place {
            case .seconds(let seconds): min(max(0, seconds), duration ?? .infinity)
            case .progress(let progress): (duration ?? 0) * progress
            }
        let beginning = max(0, seconds - start.lead)
        if !reader.isUsed, !media.isSeekable {
            // Live streams start at the live edge. Other media that is not seekable is decoded up to the position.
            if media.broadcast == nil { try reader.pass(to: beginning) }
        } else if seconds > 0 || reader.position > 0 || reader.isUsed {
            // A new decoder is already at 0.
            try reader.seek(to: beginning)
        }
        try reader.fill()
        if reader.decoder.media != reader.reported { reportMedia(reader, from: nil) }
        lead = max(0, min(seconds - reader.position, start.lead))
        report(.primed(run, position: reader.position + lead))
    }

    private mutating func serve(_ reader: DecodeReader) throws(MediaError) {
        while true {
            switch nextCommand() {
            case .end: return
            case .reposition(let run, let start):
                self.run = run
                self.start = start
                try begin(reader)
            case .feed(let ring, let lease, let feed):
                try feedInterruptibly(reader, into: ring, lease, feed)
            }
        }
    }

    /// Waits for it. After a failure the commands that were taken with the failed one are still there.
    private mutating func nextCommand() -> DecodeSession.Command {
        while taken.isEmpty { taken = mailbox.take(until: nil).reversed() }
        return taken.removeLast()
    }

    /// A seek interrupts waits for data of the old position.
    private func feedInterruptibly(
        _ reader: DecodeReader, into ring: FrameRing, _ lease: FrameRing.Lease, _ feed: Feed
    ) throws(MediaError) {
        var failure: MediaError?
        cancellation.interruptibly {
            do throws(MediaError) { try self.feed(reader, into: ring, lease, feed) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Writes until the item ends or the lease is revoked; another command then follows.
    private func feed(
        _ reader: DecodeReader, into ring: FrameRing, _ lease: FrameRing.Lease, _ feed: Feed
    ) throws(MediaError) {
        if feed.decay > 0 { return try decay(ring, lease, feed.decay) }
        // An overlap starts with frames in the ring's format; only operations that cannot fail come before them.
        let source = feed.over == nil ? reader.decoder.media.format : ring.format
        let tempo = start.scan == nil ? feed.tempo : .normal
        var writer = try RingWriter(
            RingFeed(
                ring, lease, buffering: buffering, ahead: ahead, overlapLimit: overlapLimit, cancellation: cancellation),
            source: source, tempo: feed.over == nil ? tempo : .normal, conversion: conversion, stretching: stretching)
        do {
            try writer.feed.writeSilence(feed.silence)
            if let overlap = feed.over {
                try writer.feed.begin(over: overlap)
                try writer.change(tempo)
            }
            // A splice may use frames before the position; it skips the others itself.
            let leadFrames = Int(ring.format.frames(lead / tempo.rate))
            writer.feed.lead = feed.splice == nil ? leadFrames : 0
            let log = SegmentLog(ring.format) { report(.wrote(run, start: $0, position: $1, $2)) }
            if let splice = feed.splice {
                log.waits = true
                writer.feed.splicing = RingSplicing(
                    splice, lead: leadFrames, ring.format, offer: { [report, run] in report(.splice(run, $0)) },
                    begun: { log.begin($0) })
            }
            func planReported(_ event: DecodePlanEvent) {
                switch event {
                case .wrote(let start, let position, let pace): log.append(start, position, pace)
                case .mediaChanged(let start): reportMedia(reader, from: start)
                case .held(let tail, let end): report(.held(run, tail, end: end))
                }
            }
            // A scan has no lead.
            let whole = WholePlan(start, lead: feed.splice == nil ? lead : 0)
            if let rate = start.scan {
                let scan = ScanPlan(rate: rate, tempo: feed.tempo, whole: whole)
                try scan.play(reader, into: &writer, report: planReported)
            } else {
                try whole.play(reader, into: &writer, report: planReported)
            }
            if let end = writer.feed.end { report(.ended(run, end: end)) }
        } catch {
            guard error.code != .cancelled else { return }
            do throws(MediaError) {
                try writer.feed.giveUp()
                report(.failed(run, error, end: writer.feed.end ?? writer.feed.writeIndex))
            } catch {
                // The player has moved to another place, which reports for itself.
                return
            }
        }
    }

    /// In small chunks, so that items that are added meanwhile are heard soon.
    private func decay(_ ring: FrameRing, _ lease: FrameRing.Lease, _ frames: FrameCount) throws(MediaError) {
        let quarter = Int(ring.format.frames(0.25))
        let range = DecodeBuffering.frameRange
        let buffering = DecodeBuffering(frames: min(max(quarter, range.lowerBound), range.upperBound), count: 2)
        var feed = RingFeed(ring, lease, buffering: buffering, cancellation: cancellation)
        // An item that was not written to its end ends here.
        report(.ended(run, end: feed.writeIndex))
        do throws(MediaError) { try feed.writeSilence(frames) } catch {
            if error.code != .cancelled { throw error }
        }
    }

    private func reportMedia(_ reader: DecodeReader, from start: FrameCount?) {
        reader.reported = reader.decoder.media
        report(.mediaChanged(reader.decoder.media, start: start))
    }

    /// Answers seeks with the error until the session ends.
    private mutating func awaitEnd(_ error: MediaError) {
        while true {
            switch nextCommand() {
            case .end: return
            case .reposition(let run, _): report(.failed(run, error, end: nil))
            case .feed: continue
            }
        }
    }
}

/// Reports segments. Those before a splice wait until its index is known.
private final class SegmentLog {
    private let format: AudioFormat
    private let report: (FrameCount, Double, Timeline.Pace) -> Void
    private var waiting: [(start: FrameCount, position: Double, pace: Timeline.Pace)] = []
    var waits = false

    init(_ format: AudioFormat, report: @escaping (FrameCount, Double, Timeline.Pace) -> Void) {
        (self.format, self.report) = (format, report)
    }

    func append(_ start: FrameCount, _ position: Double, _ pace: Timeline.Pace) {
        if waits { waiting.append((start, position, pace)) } else { report(start, position, pace) }
    }

    func begin(_ begun: RingSplicing.Begun) {
        waits = false
        // Cuts the segment that contains the first frame.
        if let first = waiting.lastIndex(where: { $0.start <= begun.frame }) {
            let left = format.seconds(begun.frame - waiting[first].start)
            waiting[first].position += left * waiting[first].pace.rate
            waiting[first].start = begun.frame
            waiting.removeFirst(first)
        }
        for (start, position, pace) in waiting { report(start - begun.frame + begun.index, position, pace) }
        waiting = []
    }
}
