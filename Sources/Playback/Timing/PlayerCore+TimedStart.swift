// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// A start at a set time, exact to what is known of the sink's clock.
///
/// The item is loaded ahead, with silence before its first frame, and the stream starts while that silence lasts. As soon as
/// the sink's clock shows when the first frame will be heard, the stream is shifted by the difference, which nobody hears.
///
/// Owns how far that has come, and the readings of the clock. `PlayerCore` asks it at each input, and acts.
struct TimedStart {
    let item: ItemID
    let position: Double?
    let at: MonotonicTime
    /// The stream runs.
    private(set) var hasBegun = false
    /// The stream is opened ahead; once it has failed, it is opened when it is to sound.
    private(set) var opensAhead = true
    /// Silence is in the ring before the item.
    private(set) var hasSilence = false
    /// Seconds by which the first frame would be late.
    private var lateness: [Double] = []
    /// Readings in quick succession are of the same report of the sink.
    private var measuredAt: MonotonicTime?

    init(item: ItemID, position: Double?, at time: MonotonicTime) {
        self.item = item
        self.position = position
        at = time
    }

    /// Seconds of silence: a sink starts, and is measured, within them.
    static let lead = 1.0
    /// From then on before the time the sink's clock is steady.
    static let measuring = 0.6
    static let measureInterval = 0.04
    static let readings = 3
    /// Below that, a shift corrects nothing.
    static let tolerance = 0.0005

    mutating func begin() { hasBegun = true }

    mutating func giveUpOpening() { opensAhead = false }

    /// Seconds of silence that go before the item, when it is fed now.
    mutating func silence(_ now: MonotonicTime) -> Double {
        hasSilence = true
        return max(0, min(Self.lead, at.seconds(since: now)))
    }

    func isReadingDue(_ now: MonotonicTime) -> Bool {
        at.seconds(since: now) <= Self.measuring
            && measuredAt.map { now.seconds(since: $0) >= Self.measureInterval } ?? true
    }

    /// `time`: when the first frame is heard, by this reading. Returns how late that is, once it is known.
    mutating func measure(_ time: MonotonicTime, _ now: MonotonicTime) -> Double? {
        measuredAt = now
        lateness.append(time.seconds(since: at))
        // One reading may be off by a hiccup: the middle one counts.
        return lateness.count < Self.readings ? nil : lateness.sorted()[Self.readings / 2]
    }

    /// `waits`: it does not begin before its time, as something plays or nothing can.
    func deadline(waits: Bool, _ now: MonotonicTime) -> MonotonicTime {
        guard hasBegun else { return waits ? at : at.advanced(bySeconds: -Self.lead) }
        return max(at.advanced(bySeconds: -Self.measuring), now.advanced(bySeconds: Self.measureInterval))
    }
}

extension PlayerCore {
    /// Makes the item ready and plays it at that time. What plays until then goes on.
    mutating func arrange(_ target: PlayTarget, at position: Double?, for time: MonotonicTime) throws(PlaybackError) {
        let wanted = try item(for: target)
        try checkRules()
        if position != nil, current?.item.id == wanted.id { try refuseUnlessSeekable() }
        timedStart = TimedStart(item: wanted.id, position: position, at: time)
        if !goal.wantsSound { makeReady(wanted, at: position) }
    }

    /// Has the item decoded up to the sink, which stays silent.
    mutating func prime() throws(PlaybackError) {
        let wanted = try item(for: .current)
        try checkRules()
        try checkOutput()
        guard !goal.wantsSound else { return }
        if goal.isAtRest || current?.item.id != wanted.id || current?.failure != nil { makeReady(wanted, at: nil) }
        primes = true
    }

    private mutating func makeReady(_ wanted: QueueItem, at position: Double?) {
        undoDrain()
        dropScan()
        if let current, current.item.id == wanted.id, !goal.isAtRest, current.failure == nil {
            // What is in the ring has no silence before it.
            if current.isFed || position != nil { beginSeek(to: .seconds(position ?? self.position)) }
        } else {
            lastError = nil
            failuresInARow = 0
            makeCurrent(wanted, at: position ?? placeOfUnopened(wanted))
        }
    }

    /// A stream is wanted although nothing is to sound yet.
    var isMakingReady: Bool { !goal.isAtRest && (primes || timedStart?.opensAhead == true) }

    /// The stream that was opened ahead is gone.
    mutating func giveUpMakingReady() {
        primes = false
        timedStart?.giveUpOpening()
    }

    /// Another command has come first. `isReplaced`: by another start, which may be for the same time.
    mutating func dropTimedStart(isReplaced: Bool = false) {
        guard let dropped = timedStart else { return }
        timedStart = nil
        if !isReplaced { emit(.startDropped(at: dropped.at)) }
        guard dropped.hasSilence, current?.item.id == dropped.item, current?.isFed == true, !isHeard, !goal.isAtRest
        else { return }
        beginSeek(to: .seconds(position))
    }

    /// Frames of silence that go into the ring before the item that is fed now.
    mutating func silenceBefore(_ track: LoadedTrack, _ format: AudioFormat) -> FrameCount {
        guard let timedStart, timedStart.item == track.item.id, !goal.wantsSound || timedStart.hasBegun else {
            return 0
        }
        return format.frames(self.timedStart?.silence(now) ?? 0)
    }

    mutating func checkTimedStart() {
        if primes, stream.format != nil || goal.wantsSound || goal.isAtRest { primes = false }
        guard let timedStart else { return }
        if timedStart.hasBegun { return measure(timedStart) }
        if goal.wantsSound {
            guard timedStart.at <= now else { return }
            self.timedStart = nil
            return playInstead(timedStart)
        }
        guard current?.item.id == timedStart.item, !goal.isAtRest else { return dropTimedStart() }
        if case .unavailable(let message) = availability {
            guard timedStart.at <= now else { return }
            self.timedStart = nil
            return reportFailedStart(PlaybackError(.outputUnavailable, message, itemID: timedStart.item))
        }
        guard timedStart.at.advanced(bySeconds: -TimedStart.lead) <= now else { return }
        self.timedStart?.begin()
        lastError = nil
        goal = .play
        overrideInterruption()
    }

    private mutating func playInstead(_ timedStart: TimedStart) {
        do throws(PlaybackError) {
            try play(.item(timedStart.item), at: timedStart.position)
        } catch {
            reportFailedStart(error)
        }
    }

    /// Nobody waits for the reply to a start.
    mutating func reportFailedStart(_ error: PlaybackError) {
        if !goal.wantsSound { lastError = error }
        emit(.error(error))
    }

    private mutating func measure(_ timedStart: TimedStart) {
        guard goal.wantsSound, now < timedStart.at, current?.item.id == timedStart.item else {
            return self.timedStart = nil
        }
        guard timedStart.isReadingDue(now), case .open(let generation, let format, .running) = stream.state,
            stream.clock.isAdvancing, let heard = firstFrame.flatMap({ stream.time(of: $0) })
        else { return }
        guard let lateness = self.timedStart?.measure(heard, now) else { return }
        self.timedStart = nil
        guard abs(lateness) > TimedStart.tolerance else { return }
        let frames = FrameCount(clamping: (lateness * Double(format.sampleRate)).rounded())
        actions.append(.output(.stream(.shift(by: frames), generation)))
    }

    /// Ring index of the first frame of the current item's run.
    private var firstFrame: FrameCount? {
        guard let current else { return nil }
        return stream.timeline.segments.first(where: current.holds)?.start
    }

    /// Of the current item, and waiting for the sink; without end when no more will come.
    var decodedSeconds: Double {
        guard !goal.isAtRest, let current, current.failure == nil, current.writtenEnd == nil else { return .infinity }
        guard let ring = stream.ring, current.isFed else { return 0 }
        return stream.seconds(to: ring.writeIndex) ?? 0
    }

    var timedStartDeadline: MonotonicTime? { timedStart?.deadline(waits: goal.wantsSound || isCutOff, now) }
}
