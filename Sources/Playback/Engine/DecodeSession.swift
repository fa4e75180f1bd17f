// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// One item's decoder on its own thread: opens, decodes, converts, and writes into the ring while it is let.
///
/// A handle for the engine's thread. What the thread learns comes back through `report`, called from the session's
/// thread. Blocking reads of the source end by cancellation, waiting for space ends when the ring is cut.
final class DecodeSession: Sendable {
    enum Command: Sendable {
        case reposition(DecodeRun, DecodeStart)
        case feed(FrameRing, FrameRing.Lease, Feed)
        case end
    }

    private let mailbox = Mailbox<Command>()
    private let cancellation = MediaCancellation()
    private let overlapLimit = SharedSeconds()

    init(
        _ item: QueueItem, generation: Generation, start: DecodeStart, opener: any MediaOpener,
        conversion: any SampleRateConversion, stretching: any TimeStretching, buffering: DecodeBuffering,
        ahead: SharedSeconds, meter: DecodeMeter,
        report: @escaping @Sendable (Generation, DecodeEvent) -> Void
    ) {
        let mailbox = mailbox
        let cancellation = cancellation
        let overlapLimit = overlapLimit
        let locator = MediaLocator(item.draft, item: item.id)
        let thread = NamedThread(ifPossible: "decode") {
            var worker = DecodeWorker(
                start: start, conversion: conversion, stretching: stretching, buffering: buffering, ahead: ahead,
                mailbox: mailbox, cancellation: cancellation, meter: meter, overlapLimit: overlapLimit,
                report: { report(generation, $0) })
            worker.run(locator, opener: opener)
        }
        guard let thread else {
            let reason = "The machine lets the server have no more threads, so nothing can be decoded."
            report(generation, .failed(DecodeRun(), MediaError(.unreadable, reason), end: nil))
            return
        }
        thread.detach()
    }

    func reposition(_ run: DecodeRun, _ start: DecodeStart) {
        // Before the command: what the thread waits for belongs to the place that is left.
        cancellation.interrupt()
        mailbox.post(.reposition(run, start))
    }

    /// The ring's lease must have been granted for this session.
    func feed(_ ring: FrameRing, _ lease: FrameRing.Lease, _ feed: Feed) {
        // The media is not read any further.
        if feed.decay > 0 { cancellation.interrupt() }
        mailbox.post(.feed(ring, lease, feed))
    }

    /// From the next chunk on, so many seconds of the item's end are held back.
    func hold(_ seconds: Double) { overlapLimit.seconds = seconds }

    /// Ends the thread soon; it reports nothing that matters any more.
    func end() {
        cancellation.cancel()
        mailbox.post(.end)
    }
}
