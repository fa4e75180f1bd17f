// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Synchronization
internal import Kernel

/// Feeds the state machine and performs its actions: on the player's thread, or in its place on the thread that brings an
/// edit or the store's answer (`serve`). Never blocks on anything but its mailbox.
///
/// `@unchecked Sendable` because what is private belongs to the thread that has the mailbox's turn, as `owner` checks; others
/// use what lies behind a `Mutex`, and the mailbox.
final class PlayerLoop: @unchecked Sendable {
    enum Message: Sendable {
        case command(
            PlayerCommand, PlayerCommand.Origin, @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
        case decoding(Generation, DecodeEvent)
        case output(AudioOutputEvent)
        case duck(to: Double, seconds: Double)
        /// All changes handed to the store up to this number are safe (or were refused, with a sentence).
        case saved(UInt64, failure: SaveFailure?)
        /// Answered at once.
        case ping(@Sendable () -> Void)
        case shutdown
    }

    let mailbox = Mailbox<Message>()
    /// Shared with readers, who hold the lock for a copy of what they need; the loop holds it while it decides.
    let core: Mutex<PlayerCore>
    let published: Mutex<PlayerSnapshot>
    let observer = Mutex(Observer())

    /// In a struct, because a closure that is the mutex's whole value is wrapped once more by every access to it.
    struct Observer {
        var call: @Sendable (PlayerEvent) -> Void = { _ in }
    }

    private var owner = OwningThread()
    private let environment: Player.Environment
    var output: any AudioOutput { environment.output }
    private var sessions: [Generation: DecodeSession] = [:]
    private let decodeMeter = DecodeMeter()
    private let decodeAhead: SharedSeconds
    private var ring: FrameRing?
    private var replies: [CommandToken: Reply] = [:]
    /// Commands that are done, but for their save.
    private var unsaved: [CommandToken: CommandOutcome] = [:]
    private var lastToken: UInt64 = 0
    private var commands = CommandQueue()
    private var saves = SaveLedger()
    private let queueShare: SharedByteBudget.Share
    private let undoShare: SharedByteBudget.Share
    private var deadline: MonotonicTime?
    /// When the player's thread wakes up without a message.
    private var alarm: MonotonicTime?

    private struct Reply {
        var send: @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
        /// The save that must be done before the answer; not waited for any longer than that, should the store hang.
        var after: (save: UInt64, until: MonotonicTime)?
    }

    init(_ environment: Player.Environment) {
        self.environment = environment
        queueShare = .init(of: environment.memory.queues)
        undoShare = .init(of: environment.memory.undo)
        var saved = environment.store.load()
        saved.settings.leader = environment.leader
        if environment.leader != nil { saved.settings.followOnly() }
        var core = PlayerCore(
            saved, now: environment.clock.now, seed: UInt64(environment.clock.now.nanoseconds),
            device: environment.device,
            networkBuffering: environment.networkBuffering)
        core.output.devices.devices = environment.outputs
        decodeAhead = SharedSeconds(seconds: core.settings.decodeAhead)
        published = Mutex(core.snapshot())
        self.core = Mutex(core)
        mailbox.beginFirstTurn()
    }

    func run() {
        environment.output.activate { [mailbox] in mailbox.post(.output($0)) }
        perform(
            core.withLock { core in
                reportMemory(core.queue)
                let actions = core.begin()
                deadline = core.nextDeadline
                return actions
            }, token: nil)
        repeat { alarm = nextAlarm } while serve(mailbox.nextTurn(until: alarm))
    }

    /// Any thread. Handles the message in place of the player's thread, which need not wake up for it. False when the player is
    /// down.
    @discardableResult
    func serve(_ message: Message) -> Bool {
        mailbox.post(message, orServe: serveInPlace)
    }

    /// True: the player's thread has to wake up earlier than it would.
    private func serveInPlace(_ messages: [Message]) -> Bool {
        _ = serve(messages)
        guard let wakeUp, alarm.map({ wakeUp < $0 }) ?? true else { return false }
        alarm = wakeUp
        return true
    }

    /// Within a turn. False at the end.
    private func serve(_ messages: [Message]) -> Bool {
        owner = OwningThread()
        if messages.isEmpty { handle(.tick) }
        for (index, message) in messages.enumerated() {
            switch message {
            case .command(let command, let origin, let reply): accept(command, origin, reply)
            case .decoding(let generation, let event): handle(.decoding(generation, event))
            case .output(let event):
                if case .opened(let generation, let ring) = event { adopt(ring, generation) }
                if case .failed(let generation, _) = event { abandonRing(of: generation) }
                handle(.output(event))
            case .duck(let gain, let seconds): handle(.duck(to: gain, seconds: seconds))
            case .saved(let number, let failure): saved(number, failure)
            case .ping(let answer): answer()
            case .shutdown:
                end(messages[(index + 1)...])
                return false
            }
        }
        startCommands()
        answerUnsaved()
        return true
    }

    /// An alarm that was set for an edit stays, as the next edit may need it: setting it wakes the player's thread.
    private var nextAlarm: MonotonicTime? {
        wakeUp ?? alarm.flatMap { $0 > MonotonicTime.now ? $0 : nil }
    }

    private var wakeUp: MonotonicTime? {
        let answers = unsaved.keys.compactMap { replies[$0]?.after?.until }
        return ([deadline, commands.deadline].compactMap(\.self) + answers).min()
    }

    static let goingDown = PlaybackError(.shuttingDown, "The server is going down.")

    // MARK: Inputs

    private func accept(
        _ command: PlayerCommand, _ origin: PlayerCommand.Origin,
        _ reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        if origin == .client, let refusal = core.withLock({ $0.refusalOfFollower(command) }) {
            return reply(.failure(refusal))
        }
        lastToken += 1
        let token = CommandToken(number: lastToken)
        replies[token] = Reply(send: reply)
        commands.append(command, token)
        startCommands()
    }

    /// One after another, as they came; one that is saved first holds up those behind it until it is.
    private func startCommands() {
        for token in commands.takeExpired(environment.clock.now) {
            finish(token, .failed(PlaybackError(.notSaved, "The state cannot be saved: the disk does not answer.")))
        }
        if let token = commands.takeGivenUp(environment.clock.now) {
            let message = "The disk does not answer: whether this comes into force is not known yet."
            finish(token, .failed(PlaybackError(.notSaved, message)))
        }
        while let (command, token) = commands.next(environment.clock.now) {
            guard command.isSavedFirst, let prepared = prepare(command) else {
                handle(.command(command, token), token: token)
                continue
            }
            guard !prepared.saves.isEmpty else {
                handle(.prepared(prepared, token), token: token)
                continue
            }
            let number = save(prepared.saves)
            commands.hold(prepared, token, save: number, since: environment.clock.now)
        }
    }

    /// nil when it is refused; the refusal comes with performing it.
    private func prepare(_ command: PlayerCommand) -> PreparedChange? {
        core.withLock { core in
            core.queue.byteLimit = queueShare.allowance
            do { return try core.prepare(command) } catch { return nil }
        }
    }

    private func reportMemory(_ queue: Queue) {
        queueShare.report(used: queue.table.bytes)
        undoShare.report(used: queue.undoHistory.bytes)
    }

    /// Decides under the lock, acts outside it.
    private func handle(_ input: PlayerCore.Input, token: CommandToken? = nil) {
        owner.check()
        let reading = environment.output.clock()
        let now = environment.clock.now
        let actions = core.withLock { core in
            core.queue.byteLimit = queueShare.allowance
            core.queue.undoHistory.byteLimit = undoShare.allowance
            let revision = core.queue.revision
            let actions = core.handle(input, clock: reading, now: now)
            if core.queue.revision != revision { reportMemory(core.queue) }
            deadline = core.nextDeadline
            var snapshot = core.snapshot()
            if let ring, let format = core.stream.format {
                snapshot.statistics.bufferedAhead = format.seconds(max(0, ring.writeIndex - reading.ringIndex))
            }
            snapshot.statistics.decodeSeconds = decodeMeter.seconds
            decodeAhead.seconds = snapshot.settings.decodeAhead
            published.withLock { $0 = snapshot }
            return actions
        }
        perform(actions, token: token)
    }

    /// For any thread.
    func audiblePosition() -> AudiblePosition? {
        let reading = environment.output.clock()
        return core.withLock { $0.audiblePosition(reading) }
    }

    private func saved(_ number: UInt64, _ failure: SaveFailure?) {
        switch saves.settle(number, failed: failure != nil) {
        case .trouble: if let failure { handle(.saveFailed(failure)) }
        case .recovered: handle(.saveSucceeded)
        case .unchanged: break
        }
        if let (prepared, token) = commands.takeHeld(save: number) {
            if let failure {
                finish(token, .failed(PlaybackError(failure)))
            } else {
                handle(.prepared(prepared, token), token: token)
            }
        }
        answerUnsaved()
        if saves.takeOwedPlace() { _ = save([.position(core.withLock { $0.savedPosition })]) }
    }

    private func adopt(_ ring: FrameRing, _ generation: Generation) {
        guard core.withLock({ $0.stream.generation }) == generation else { return }
        _ = self.ring?.cut()
        self.ring = ring
    }

    /// Nobody reads the ring any more: a decoder that waits for space in it must go on to other commands.
    private func abandonRing(of generation: Generation) {
        guard core.withLock({ $0.stream.generation }) == generation else { return }
        _ = ring?.cut()
        ring = nil
    }

    // MARK: Actions

    private func perform(_ actions: [PlayerAction], token: CommandToken?) {
        let changes = actions.compactMap { if case .save(let change) = $0 { change } else { nil } }
        if !changes.isEmpty, saves.admits(changes) {
            let number = save(changes)
            if let token {
                replies[token]?.after = (number, environment.clock.now.advanced(bySeconds: CommandQueue.patience))
            }
        }
        for action in actions {
            switch action {
            case .load(let generation, let item, let start): load(item, generation, start)
            case .reposition(let generation, let run, let start):
                _ = ring?.cut()
                sessions[generation]?.reposition(run, start)
            case .feed(let generation, let feed): self.feed(generation, feed)
            case .hold(let generation, let seconds): sessions[generation]?.hold(seconds)
            case .cutFading: ring?.cutFading()
            case .unload(let generation): sessions.removeValue(forKey: generation)?.end()
            case .output(let command):
                if case .stream(.close, _) = command { _ = ring?.cut() }
                environment.output.perform(command)
            case .flushStream(let generation, let fade):
                guard let ring else { continue }
                environment.output.perform(.stream(.flush(to: ring.cut(), fade: fade), generation))
            case .emit(let kind): emit(kind)
            case .save: continue
            case .request(let command):
                lastToken += 1
                commands.append(command, CommandToken(number: lastToken))
            case .reply(let token, let outcome): finish(token, outcome)
            }
        }
    }

    private func load(_ item: QueueItem, _ generation: Generation, _ start: DecodeStart) {
        sessions[generation] = DecodeSession(
            item, generation: generation, start: start, opener: environment.opener, conversion: environment.conversion,
            stretching: environment.stretching, buffering: environment.buffering, ahead: decodeAhead,
            meter: decodeMeter, report: { [mailbox] in mailbox.post(.decoding($0, $1)) })
    }

    private func feed(_ generation: Generation, _ feed: Feed) {
        guard let ring, let session = sessions[generation] else { return }
        // What is left of the item before comes first, and keeps its loudness.
        if feed.over != nil || feed.splice != nil { return session.feed(ring, ring.grant().lease, feed) }
        let (loudness, isInAlbum) = core.withLock { $0.loudness(of: generation) }
        session.feed(ring, ring.grant(loudness, isInAlbum: isInAlbum).lease, feed)
    }

    private func emit(_ kind: PlayerEvent.Kind) {
        let version = published.withLock { $0.version }
        let event = PlayerEvent(version: version, wallMilliseconds: environment.clock.wallMilliseconds, kind: kind)
        observer.withLock { $0.call }(event)
    }

    /// Returns the number under which the store's answer comes.
    private func save(_ changes: [SavedChange]) -> UInt64 {
        let number = saves.issue()
        environment.store.save(changes) { [self] failure in serve(.saved(number, failure: failure)) }
        return number
    }

    private func finish(_ token: CommandToken, _ outcome: CommandOutcome) {
        if mayAnswer(token) {
            answer(token, outcome)
        } else {
            unsaved[token] = outcome
        }
    }

    private func answerUnsaved() {
        for (token, outcome) in unsaved where mayAnswer(token) {
            unsaved[token] = nil
            answer(token, outcome)
        }
    }

    private func mayAnswer(_ token: CommandToken) -> Bool {
        guard let after = replies[token]?.after else { return true }
        return after.save <= saves.done || after.until <= environment.clock.now
    }

    private func answer(_ token: CommandToken, _ outcome: CommandOutcome) {
        guard let reply = replies.removeValue(forKey: token) else { return }
        switch outcome {
        case .failed(let error):
            reply.send(.failure(error))
        case .done(let inserted):
            var snapshot = published.withLock { $0 }
            snapshot.insertedItems = inserted
            reply.send(.success(snapshot))
        }
    }

    // MARK: The end

    /// `rest` came behind the message that ends the loop.
    private func end(_ rest: ArraySlice<Message>) {
        // Takes in what was heard since the last message: that is the place to save.
        handle(.tick)
        _ = ring?.cut()
        environment.output.shutdown()
        let place = core.withLock { $0.savedPosition }
        environment.store.save([.position(place), .opened]) { _ in }
        for session in sessions.values { session.end() }
        sessions = [:]
        for reply in replies.values { reply.send(.failure(Self.goingDown)) }
        replies = [:]
        for message in rest + mailbox.close() {
            switch message {
            case .command(_, _, let reply): reply(.failure(Self.goingDown))
            case .ping(let answer): answer()
            case .decoding, .output, .duck, .saved, .shutdown: continue
            }
        }
    }
}
