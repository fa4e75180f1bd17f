// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// A start at a set time, as exact as the sink's clock.
///
/// The item is loaded ahead, with silence before its first frame, and the stream starts during that silence. Once the
/// sink's clock shows when the first frame will be heard, the stream is shifted by the difference, which is inaudible.
///
/// Keeps the progress of the start and the clock readings. `PlayerCore` queries it at each input.
struct TimedStart {
    let item: ItemID
    /// The start is of the current item, also if that changes.
    let isOfCurrent: Bool
    let position: Double?
    let at: MonotonicTime
    /// The player's goal before the start began; nil until then.
    var goalBefore: PlayerGoal?
    /// Opens the stream ahead. After a failure, the stream opens at the start time.
    var opensAhead = true
    /// The ring holds silence before the item.
    private(set) var hasSilence = false
    /// The seconds by which the first frame would be late, one value for each reading.
    private var lateness: [Double] = []
    /// The last reading: readings in quick succession stem from the same report of the sink.
    private var measuredAt: MonotonicTime?

    init(item: ItemID, isOfCurrent: Bool, position: Double?, at time: MonotonicTime) {
        self.item = item
        self.isOfCurrent = isOfCurrent
        self.position = position
        at = time
    }

    /// Seconds of silence, in which the sink starts and its clock is measured.
    static let lead = 1.0
    /// From this many seconds before the start time on, the sink's clock is steady.
    static let measuring = 0.6
    static let measureInterval = 0.04
    static let readings = 3
    /// Seconds after the start time for which the player waits for an output that is unavailable or suspended, as alarms do.
    static let patience = 60.0
    /// Smaller errors are not corrected.
    static let tolerance = 0.0005

    /// Seconds of silence before an item that is written now.
    mutating func silence(_ now: MonotonicTime) -> Double {
        hasSilence = true
        // The readings of an earlier stream do not apply to this one.
        (lateness, measuredAt) = ([], nil)
        return max(0, min(Self.lead, at.seconds(since: now)))
    }

    var hasBegun: Bool { goalBefore != nil }
    private var isMeasured: Bool { lateness.count >= Self.readings }

    func isReadingDue(_ now: MonotonicTime) -> Bool {
        !isMeasured && at.seconds(since: now) <= Self.measuring
            && measuredAt.map { now.seconds(since: $0) >= Self.measureInterval } ?? true
    }

    /// `time`: when the first frame is heard, according to this reading. Returns the error once it is known.
    mutating func measure(_ time: MonotonicTime, _ now: MonotonicTime) -> Double? {
        measuredAt = now
        lateness.append(time.seconds(since: at))
        // A single reading may be wrong: the median counts.
        return isMeasured ? lateness.sorted()[Self.readings / 2] : nil
    }

    /// `waits`: the start cannot be prepared, as something plays or the output is unavailable.
    func deadline(waits: Bool, _ now: MonotonicTime) -> MonotonicTime {
        guard hasBegun else { return waits ? at : at.advanced(bySeconds: -Self.lead) }
        guard now < at else { return at.advanced(bySeconds: Self.patience) }
        if isMeasured { return at }
        return max(at.advanced(bySeconds: -Self.measuring), now.advanced(bySeconds: Self.measureInterval))
    }
}

extension PlayerCore {
    /// Prepares the item and plays it at that time. Until then the player plays on.
    mutating func startLater(
        _ target: PlayTarget, at position: Double?, _ time: MonotonicTime
    ) throws(PlaybackError) {
        let wanted = try item(for: target)
        try checkRules()
        if position != nil, current?.item.id == wanted.id { try refuseUnlessSeekable() }
        timedStart = TimedStart(item: wanted.id, isOfCurrent: target == .current, position: position, at: time)
        if !goal.wantsSound { makeReady(wanted, at: position) }
    }

    /// Decodes the item ahead of the sink, which stays silent.
    mutating func prime() throws(PlaybackError) {
        let wanted = try item(for: .current)
        try checkRules()
        try checkOutput()
        guard !goal.wantsSound else { return }
        if goal.isAtRest || current?.item.id != wanted.id || current?.failure != nil { makeReady(wanted, at: nil) }
        isPriming = true
    }

    /// Nothing plays, and another item is current: the queue was changed, or the music before the start has ended.
    private mutating func prepareAgain(_ start: TimedStart) {
        // If its item has failed, that was reported.
        guard lastError?.itemID != start.item else { return dropTimedStart() }
        do throws(PlaybackError) {
            try startLater(start.isOfCurrent ? .current : .item(start.item), at: start.position, start.at)
        } catch {
            dropTimedStart()
            reportFailedStart(error)
        }
    }

    private mutating func makeReady(_ wanted: QueueItem, at position: Double?) {
        undoStop()
        dropScan()
        if let current, current.item.id == wanted.id, !goal.isAtRest, current.failure == nil {
            // The frames in the ring have no silence before them.
            if current.isFed || position != nil { beginSeek(to: .seconds(position ?? self.position)) }
        } else {
            lastError = nil
            forgetFailures()
            makeCurrent(wanted, at: position ?? positionOfUnopened(wanted))
        }
    }

    /// A stream is needed although no sound is wanted yet.
    var isMakingReady: Bool { !goal.isAtRest && (isPriming || timedStart?.opensAhead == true) }

    /// The stream that was opened ahead has failed.
    mutating func giveUpMakingReady() {
        isPriming = false
        timedStart?.opensAhead = false
    }

    /// Another command cancels the start. `isReplaced`: by another start, which may have the same time.
    mutating func dropTimedStart(isReplaced: Bool = false) {
        guard let dropped = timedStart else { return }
        takeBackGoal()
        if isReplaced { timedStart = nil } else { endTimedStart() }
        guard dropped.hasSilence, current?.item.id == dropped.item, current?.isFed == true, !isHeard, !goal.isAtRest
        else { return }
        beginSeek(to: .seconds(position))
    }

    /// The start has begun, and its first frame is not due yet.
    private var isBeforeStart: Bool { timedStart.map { $0.hasBegun && now < $0.at } ?? false }

    /// Sound is wanted now, not only at the time of a start.
    var wantsSoundNow: Bool { goal.wantsSound && !isBeforeStart }

    /// Undoes the beginning of a start that is dropped, or prepared again for another item.
    private mutating func takeBackGoal() {
        if isBeforeStart, goal.wantsSound, let before = timedStart?.goalBefore { goal = before }
    }

    mutating func cancelStart() {
        let isAwaited = timedStart?.hasBegun == true && !isBeforeStart
        dropTimedStart()
        if isAwaited { pause(.user) }
    }

    /// Frames of silence to write before the track.
    mutating func silenceBefore(_ track: LoadedTrack, _ format: AudioFormat) -> FrameCount {
        guard let timedStart, timedStart.item == track.item.id, !goal.wantsSound || timedStart.hasBegun else {
            return 0
        }
        return format.frames(self.timedStart?.silence(now) ?? 0)
    }

    mutating func checkTimedStart() {
        if isPriming, stream.format != nil || goal.wantsSound || goal.isAtRest { isPriming = false }
        guard let timedStart else { return }
        if timedStart.hasBegun, !isBeforeStart || current?.item.id == timedStart.item { return measure(timedStart) }
        takeBackGoal()
        guard goal.wantsSound || current?.item.id == timedStart.item && !goal.isAtRest else {
            return prepareAgain(timedStart)
        }
        guard timedStart.deadline(waits: goal.wantsSound || isOutputUnavailable, now) <= now else { return }
        self.timedStart?.goalBefore = goal
        do throws(PlaybackError) {
            if goal.wantsSound {
                try play(.item(timedStart.item), at: timedStart.position, needsOutput: false)
            } else {
                lastError = nil
                goal = .play
                overrideInterruption()
            }
            beginOutageIfUnavailable()
        } catch {
            endTimedStart()
            reportFailedStart(error)
        }
    }

    private mutating func endTimedStart() {
        if let ended = timedStart { emit(.startEnded(at: ended.at)) }
        timedStart = nil
    }

    /// The reply to a timed start was sent long ago, so its failure is an event.
    mutating func reportFailedStart(_ error: PlaybackError) {
        if !goal.wantsSound { lastError = error }
        emit(.error(error))
    }

    private mutating func measure(_ timedStart: TimedStart) {
        guard goal.wantsSound, current?.item.id == timedStart.item else { return endTimedStart() }
        guard now < timedStart.at else { return awaitOutput(timedStart) }
        guard timedStart.isReadingDue(now), case .open(let generation, let format, .running) = stream.state,
            stream.clock.isAdvancing, let heard = firstFrame.flatMap({ stream.time(of: $0) })
        else { return }
        guard let lateness = self.timedStart?.measure(heard, now), abs(lateness) > TimedStart.tolerance else { return }
        let frames = FrameCount(clamping: (lateness * Double(format.sampleRate)).rounded())
        actions.append(.output(.stream(.shift(by: frames), generation)))
    }

    /// The start time has passed. The wait ends when the stream has started.
    private mutating func awaitOutput(_ timedStart: TimedStart) {
        let isAway = isOutputUnavailable || outage != nil || output.isSuspended
        if !isAway, stream.format != nil, !stream.isStarting { return endTimedStart() }
        guard now.isOver(TimedStart.patience, since: timedStart.at) else { return }
        endTimedStart()
        guard isAway else { return }
        goal = .pause(reasonOfOutput)
        if let lastError, lastError.code == .outputUnavailable { return reportFailedStart(lastError) }
        let message = "The output is still suspended 60 s after the start time."
        reportFailedStart(PlaybackError(.outputUnavailable, message, itemID: timedStart.item))
    }

    private var firstFrame: FrameCount? {
        guard let current else { return nil }
        return stream.timeline.segments.first(where: current.holds)?.start
    }

    /// Seconds of the current item that are decoded for the sink; infinite if no more follow.
    var decodedSeconds: Double {
        guard !goal.isAtRest, let current, current.failure == nil, current.writtenEnd == nil else { return .infinity }
        guard let ring = stream.ring, current.isFed else { return 0 }
        return stream.seconds(to: ring.writeIndex) ?? 0
    }

    var timedStartDeadline: MonotonicTime? { timedStart?.deadline(waits: goal.wantsSound || isOutputUnavailable, now) }
}
