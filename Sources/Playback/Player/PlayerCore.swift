// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The player as a pure state machine: inputs go in, actions come out. It has no clock, no thread and no I/O.
///
/// Three kinds of state stay separate: the user's goal (`goal`), the decoders' reports (`loaded`) and the sink's reports
/// (`stream`). The status that clients see is derived from them (`PlayerCore+Status`), so its fields cannot contradict
/// each other. After every input `reconcile` compares goal and reports and requests the missing steps
/// (`PlayerCore+Reconciling`). `PlayerCore+Deadlines` bounds each wait.
struct PlayerCore {
    enum Input: Sendable {
        case command(PlayerCommand, CommandToken)
        /// The store has saved the result of `prepare`, or has refused an alarm's edit, which takes effect all the same.
        case prepared(PreparedChange, CommandToken)
        case decoding(Generation, DecodeEvent)
        case output(AudioOutputEvent)
        /// An announcement lowers the music, or restores it.
        case duck(to: Double, seconds: Double)
        case saveFailed(SaveFailure)
        /// The first save that succeeds after a failure.
        case saveSucceeded
        /// `nextDeadline` has passed.
        case tick
    }

    // The user's queue, settings and goal.
    var queue: Queue
    var settings: PlayerSettings
    var goal = PlayerGoal.idle
    var scan: Scan?
    /// The item that the last edit removed while it was current, and its position.
    var removed: (id: ItemID, position: Double)?
    /// The failure of the current item, or of the item that was skipped before it.
    var lastError: PlaybackError?

    // Reports of the decoders.
    var loaded = LoadedTracks()
    private(set) var failuresInARow = 0
    /// Where the queue goes on if the current item fails before it is heard.
    private(set) var course = Course.onward
    /// `queueLow` was emitted for the current item, and nothing follows it yet.
    var isQueueLow = false
    let networkBuffering: NetworkBuffering
    /// The item to which `settings.abLoop` applies.
    var repeated: ItemID?

    // Reports of the output.
    var stream = OutputStream()
    var output = OutputStatus()
    /// nil until the output has reported for the first time.
    var availability: OutputAvailability?
    var outage: Outage?
    var routing = Routing()
    var interruptions = InterruptionHolders()
    var rules = SessionRules()
    /// The playback of this player's leader; nil without a leader.
    var leaderPlayback: LeaderPlayback?

    // Timed behaviour.
    var timerRamp = GainRamp()
    var sleep: Sleep?
    var rise: Rise?
    /// The ramp of the rise that has begun, until sound is wanted no more.
    var rising: GainRamp?
    var timedStart: TimedStart?
    /// Opens a stream and decodes although no sound is wanted (`prime`).
    var isPriming = false

    // Bookkeeping.
    private(set) var now: MonotonicTime
    var random: SeededGenerator
    var actions: [PlayerAction] = []
    var statistics = PlayerStatistics()
    var pending = PendingReplies()
    private(set) var version: UInt64 = 0
    private(set) var discontinuity: UInt64 = 0
    var lastStatus = PlayerStatus.idle
    var lastReason: StatusReason?
    var lastWantsSound = false
    /// As last published.
    var lastClock = PositionClock()
    var indexOfCurrent: (revision: QueueRevision, id: ItemID, index: Int)?
    var saving: Saving
    private var lastGeneration: UInt64 = 0

    /// How the current item was reached.
    enum Course: Equatable {
        case onward, next
        /// `from`: the item that was current before.
        case previous(from: ItemID?)
    }

    struct Scan {
        var rate: Double
        var wasPlaying: Bool
    }

    init(
        _ saved: SavedPlayer, now: MonotonicTime, seed: UInt64, device: String? = nil,
        networkBuffering: NetworkBuffering = NetworkBuffering()
    ) {
        routing.configured = device
        self.networkBuffering = networkBuffering
        queue = Queue(
            items: saved.items, revision: saved.revision, nextItemNumber: saved.nextItemNumber,
            currentID: saved.first == saved.unopened ? saved.first : saved.current?.itemID)
        settings = saved.settings
        repeated = settings.abLoop == nil ? nil : queue.currentID
        if repeated == nil { settings.abLoop = nil }
        random = SeededGenerator(seed: seed)
        self.now = now
        saving = Saving(isMarked: saved.first != nil)
        guard let first = saved.first, let item = queue.item(first) else { return }
        if first == saved.unopened {
            loaded.enter(newTrack(item, at: saved.current?.position ?? item.beginTime))
            let error = PlaybackError(
                .decoderFailed,
                "It was being opened when the server ended unexpectedly, so it was not opened again. Press play to try it once more.",
                itemID: first)
            (goal, lastError) = (.rest(.failed(error)), error)
            (lastStatus, lastReason) = (.failed, .mediaError)
        } else if let place = saved.current {
            goal = .pause(.restored)
            loaded.enter(newTrack(item, at: place.position))
            (lastStatus, lastReason) = (.paused, .restored)
        }
    }

    /// The actions to perform before the first input.
    mutating func begin() -> [PlayerAction] {
        actions = []
        applyVolume()
        applyBalance()
        if settings.effects.isEnabled { applyEffects() }
        use(wantedDevice)
        if let current {
            guard !goal.isAtRest else { return finish() }
            actions.append(
                .load(current.generation, current.item, decodeStart(.seconds(current.startPosition), of: current)))
        } else if let first = queue.count > 0 ? queue[0] : nil {
            makeCurrent(first, at: nil)
            goal = .hold
        }
        return finish()
    }

    /// Handles one input. `clock` is the sink's clock at the same moment. `more`: others wait, perhaps the awaited report.
    mutating func handle(_ input: Input, clock: OutputClock, now: MonotonicTime, more: Bool = false) -> [PlayerAction] {
        actions = []
        self.now = now
        observe(clock)
        switch input {
        case .command(let command, let token): perform(command, token)
        case .decoding(let generation, let event): decoded(generation, event)
        case .output(let event): outputReported(event)
        case .prepared(let change, let token):
            commit(change)
            pending.add(change.command, token, inserted: change.inserted, now)
        case .duck(let gain, let seconds): setGain(.ducking(gain, seconds: seconds))
        case .saveFailed(let failure): saveFailed(failure)
        case .saveSucceeded: saveSucceeded()
        case .tick: break
        }
        if !more { checkDeadlines() }
        return finish()
    }

    private mutating func finish() -> [PlayerAction] {
        reconcile()
        publishStatus()
        answerSettled()
        if actions.contains(where: { if case .emit = $0 { true } else { false } }) { version += 1 }
        return actions
    }

    // MARK: Shared by all extensions

    var current: LoadedTrack? { loaded.current }
    var upcoming: LoadedTrack? { loaded.upcoming }
    var seek: LoadedTracks.Seek? { loaded.seek }
    var prebuffering: LoadedTracks.Prebuffering? { loaded.prebuffering }

    mutating func newTrack(_ item: QueueItem, at position: Double) -> LoadedTrack {
        LoadedTrack(item: item, generation: newGeneration(), startPosition: position, now: now)
    }

    mutating func newGeneration() -> Generation {
        lastGeneration += 1
        return Generation(lastGeneration)
    }

    mutating func emit(_ event: PlayerEvent.Kind) {
        actions.append(.emit(event))
    }

    /// The saved position of an item that was not opened at the start.
    func positionOfUnopened(_ item: QueueItem) -> Double? {
        saving.isMarked && goal.isAtRest && current?.item.id == item.id ? current?.startPosition : nil
    }

    /// An item has opened or failed to open, and the process has survived.
    mutating func openingSurvived() {
        if saving.takeMark() { actions.append(.save(.opened)) }
    }

    mutating func savePosition() {
        saving.positionSavedAt = now
        actions += positionToSave.map { .save($0) }
    }

    /// Sound is heard, or a command makes an item the current one.
    mutating func forgetFailures(course: Course = .onward) { (failuresInARow, self.course) = (0, course) }

    mutating func countFailure() {
        statistics.itemsFailed += 1
        failuresInARow += 1
    }

    /// The item with which the queue goes on after the current one has failed.
    mutating func successorOfFailed() -> ItemID? {
        if case .previous(let from) = course {
            if let id = queue.previous(order) { return id }
            course = .next
            if let from, queue.item(from) != nil { return from }
        }
        return course == .next ? queue.next(order, using: &random) : queue.successor(order, using: &random)
    }

    /// A completed item restarts from its beginning. Nothing while the store has another queue.
    var positionToSave: [SavedChange] {
        guard !saving.queueIsUnsaved else { return [] }
        let place = if case .rest(.completed) = goal { 0.0 } else { position }
        return [.position(queue.currentID.map { SavedPosition(itemID: $0, position: place) })]
    }

    /// The position is discontinuous: after a seek, an item change, an underrun or a long standstill.
    mutating func jumped() {
        discontinuity += 1
        reportTime()
    }

    mutating func reportTime() {
        emit(.jumped(positionClock, itemID: current?.item.id))
    }

    /// At rest, no sound follows that a ramp could move with. Before a rise, the previous sound still fades out: the volume, mute
    /// and balance follow with the rise.
    mutating func applyVolume(over seconds: Double = 0) {
        guard rise == nil else { return }
        setGain(.volume(rules.isUnprocessed ? 1 : settings.volume, seconds: goal.isAtRest ? 0 : seconds))
    }

    mutating func applyBalance() {
        guard rise == nil else { return }
        let isMuted = settings.muted || rules.isSilenced
        let balance = rules.isUnprocessed ? 0 : settings.balance
        setGain(.balance(ChannelGains(volume: 1, muted: isMuted, balance: balance)))
    }

    mutating func setGain(_ change: GainChange) { actions.append(.output(.setGain(change))) }

    var order: Queue.Order {
        Queue.Order(repeats: sleepsAfterQueue ? .off : settings.repeats, shuffle: settings.shuffle)
    }
}
