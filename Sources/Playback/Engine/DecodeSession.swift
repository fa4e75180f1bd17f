// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// One item's decoder on its own thread: opens, decodes, converts, and writes into the ring.
///
/// This is the handle for the player's thread. The decode thread reports through `report`. Cancellation ends blocking
/// reads of the source; a cut of the ring ends waits for space.
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
        _ item: QueueItem, start: DecodeStart, _ environment: Player.Environment, ahead: SharedSeconds,
        meter: DecodeMeter, report: @escaping @Sendable (DecodeEvent) -> Void
    ) {
        // Not the whole environment: a decode thread that hangs must not keep the output and the store alive.
        let (locator, opener) = (MediaLocator(item.draft, item: item.id), environment.opener)
        let worker = DecodeWorker(
            start: start, conversion: environment.conversion, stretching: environment.stretching,
            buffering: environment.buffering, ahead: ahead, mailbox: mailbox, cancellation: cancellation, meter: meter,
            overlapLimit: overlapLimit, report: report)
        let thread = NamedThread(ifPossible: "decode") {
            var worker = worker
            worker.run(locator, opener: opener)
        }
        guard let thread else {
            let reason = "The machine has no thread left for the server, so the item cannot be decoded."
            report(.failed(DecodeRun(), MediaError(.unreadable, reason), end: nil))
            return
        }
        thread.detach()
    }

    func reposition(_ run: DecodeRun, _ start: DecodeStart) {
        // Before the command: the thread may wait for data at the old position.
        cancellation.interrupt()
        mailbox.post(.reposition(run, start))
    }

    /// The lease must have been granted to this session.
    func feed(_ ring: FrameRing, _ lease: FrameRing.Lease, _ feed: Feed) {
        // No more media is read.
        if feed.decay > 0 { cancellation.interrupt() }
        mailbox.post(.feed(ring, lease, feed))
    }

    /// From the next chunk on, holds back this many seconds of the item's end.
    func hold(_ seconds: Double) { overlapLimit.seconds = seconds }

    /// Ends the thread soon. Later reports are irrelevant.
    func end() {
        cancellation.cancel()
        mailbox.post(.end)
    }
}
