// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Synchronization
internal import Kernel

/// Feeds the state machine and performs its actions: on the player's thread, or in its place on a thread that delivers an
/// edit or a reply of the store (`serve`). It never blocks, except on its mailbox.
///
/// `@unchecked Sendable` because private state belongs to the thread that holds the mailbox's turn, as `owner` checks;
/// other threads use the mailbox and the values behind a lock.
final class PlayerLoop: @unchecked Sendable {
    enum Message: Sendable {
        case command(
            PlayerCommand, PlayerCommand.Origin, @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void)
        case input(PlayerCore.Input)
        /// The store has saved all changes up to this number, or rejected them with this failure.
        case saved(UInt64, failure: SaveFailure?)
        case ping(@Sendable () -> Void)
        case shutdown
    }

    let mailbox = Mailbox<Message>()
    /// Readers hold the lock to copy what they need; the loop holds it while the core decides.
    let core: Mutex<PlayerCore>
    let published: Published<PlayerSnapshot, PlayerEvent>

    private var owner = OwningThread()
    private let environment: Player.Environment
    var output: any AudioOutput { environment.output }
    private var sessions: [Generation: DecodeSession] = [:]
    private let decodeMeter = DecodeMeter()
    private let decodeAhead: SharedSeconds
    private var ring: FrameRing?
    private var replies: [CommandToken: Reply] = [:]
    /// Finished commands that wait for their save.
    private var unsaved: [CommandToken: CommandOutcome] = [:]
    private var lastToken: UInt64 = 0
    private var commands = CommandQueue()
    private var saves = SaveLedger()
    private let queueShare: SharedByteBudget.Share
    private let undoShare: SharedByteBudget.Share
    private var deadline: MonotonicTime?
    /// Messages that follow in this turn.
    private var messagesLeft = 0
    /// The time at which the player's thread wakes up without a message.
    private var alarm: MonotonicTime?

    private struct Reply {
        var origin: PlayerCommand.Origin
        var send: @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
        /// The save that must finish before the reply, and how long to wait for it if the store hangs.
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
        published = Published(core.snapshot())
        self.core = Mutex(core)
        mailbox.beginFirstTurn()
    }

    func run() {
        environment.output.activate { [mailbox] in mailbox.post(.input(.output($0))) }
        perform(
            core.withLock { core in
                reportMemory(core.queue)
                let actions = core.begin()
                deadline = core.nextDeadline
                return actions
            }, token: nil)
        repeat { alarm = nextAlarm } while serve(mailbox.nextTurn(until: alarm))
    }

    /// Handles the message in place of the player's thread. Any thread may call this. Returns false after shutdown.
    @discardableResult
    func serve(_ message: Message) -> Bool {
        mailbox.post(message, orServe: serveInPlace)
    }

    /// Returns true if the player's thread must wake up earlier.
    private func serveInPlace(_ messages: [Message]) -> Bool {
        _ = serve(messages)
        guard let wakeUp, alarm.map({ wakeUp < $0 }) ?? true else { return false }
        alarm = wakeUp
        return true
    }

    /// Runs within a turn. Returns false at shutdown.
    private func serve(_ messages: [Message]) -> Bool {
        owner = OwningThread()
        if messages.isEmpty { handle(.tick) }
        for (index, message) in messages.enumerated() {
            messagesLeft = messages.count - index - 1
            switch message {
            case .command(let command, let origin, let reply): accept(command, origin, reply)
            case .input(let input):
                switch input {
                case .output(.opened(let generation, let ring)): use(ring, of: generation)
                case .output(.failed(let generation, _)): use(nil, of: generation)
                default: break
                }
                handle(input)
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

    /// An alarm set for an edit stays: the next edit may need it, and setting it wakes the player's thread.
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
        if origin != .follower, let refusal = core.withLock({ $0.refusalOfFollower(command) }) {
            return reply(.failure(refusal))
        }
        lastToken += 1
        let token = CommandToken(number: lastToken)
        replies[token] = Reply(origin: origin, send: reply)
        commands.append(command, token)
        startCommands()
    }

    /// Starts commands in order. A command that is saved first delays those after it until it is saved.
    private func startCommands() {
        let overdue = commands.takeOverdue(environment.clock.now)
        for token in overdue.waiting {
            finish(token, .failed(PlaybackError(.notSaved, "The state cannot be saved: the disk does not respond.")))
        }
        if let token = overdue.atStore {
            let message = "The disk does not respond. The change may still be applied."
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

    /// nil if the command fails; performing it then reports the error.
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
            let actions = core.handle(input, clock: reading, now: now, more: messagesLeft > 0)
            if core.queue.revision != revision { reportMemory(core.queue) }
            deadline = core.nextDeadline
            decodeAhead.seconds = core.settings.decodeAhead
            // With its lock held, so that nobody reads the last snapshot at a later time.
            published.update { snapshot in
                snapshot = core.snapshot(publishedAt: environment.clock.now)
                if let ring, let format = core.stream.format {
                    snapshot.statistics.bufferedAhead = format.seconds(max(0, ring.writeIndex - reading.ringIndex))
                }
                snapshot.statistics.decodeSeconds = decodeMeter.seconds
            }
            return actions
        }
        perform(actions, token: token)
    }

    /// Any thread may call this.
    func audiblePosition() -> AudiblePosition? {
        let reading = environment.output.clock()
        return core.withLock { $0.audiblePosition(reading) }
    }

    private func saved(_ number: UInt64, _ failure: SaveFailure?) {
        saves.done = number
        if let failure {
            handle(.saveFailed(failure))
        } else if published.value.saveFailure != nil {
            handle(.saveSucceeded)
        }
        if case (var prepared, let token)? = commands.takeHeld(save: number) {
            prepared.isUnsaved = failure != nil
            if let failure, replies[token]?.origin != .alarm {
                finish(token, .failed(PlaybackError(failure)))
            } else {
                handle(.prepared(prepared, token), token: token)
            }
        }
        answerUnsaved()
        if saves.takeOwedPosition() { _ = save(core.withLock { $0.positionToSave }) }
    }

    /// The old ring has no reader any more. The cut lets a decoder that waits for space handle other commands.
    private func use(_ ring: FrameRing?, of generation: Generation) {
        guard core.withLock({ $0.stream.generation }) == generation else { return }
        _ = self.ring?.cut()
        self.ring = ring
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
        sessions[generation] = DecodeSession(item, start: start, environment, ahead: decodeAhead, meter: decodeMeter) {
            [mailbox] in mailbox.post(.input(.decoding(generation, $0)))
        }
    }

    private func feed(_ generation: Generation, _ feed: Feed) {
        guard let ring, let session = sessions[generation] else { return }
        // The rest of the previous item comes first and keeps its loudness.
        if feed.over != nil || feed.splice != nil { return session.feed(ring, ring.grant().lease, feed) }
        let (loudness, isInAlbum) = core.withLock { $0.loudness(of: generation) }
        session.feed(ring, ring.grant(loudness, isInAlbum: isInAlbum).lease, feed)
    }

    private func emit(_ kind: PlayerEvent.Kind) {
        let milliseconds = environment.clock.wallMilliseconds
        published.change { PlayerEvent(version: $0.version, wallMilliseconds: milliseconds, kind: kind) }
    }

    /// Returns the number with which the store will reply.
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
            var snapshot = published.value
            snapshot.insertedItems = inserted
            reply.send(.success(snapshot))
        }
    }

    // MARK: The end

    /// `rest`: the messages after the one that ends the loop.
    private func end(_ rest: ArraySlice<Message>) {
        // Registers what was heard since the last message: that position is saved.
        handle(.tick)
        _ = ring?.cut()
        environment.output.shutdown()
        let position = core.withLock { $0.positionToSave }
        environment.store.save(position + [.opened]) { _ in }
        for session in sessions.values { session.end() }
        sessions = [:]
        for reply in replies.values { reply.send(.failure(Self.goingDown)) }
        replies = [:]
        for message in rest + mailbox.close() {
            switch message {
            case .command(_, _, let reply): reply(.failure(Self.goingDown))
            case .ping(let answer): answer()
            case .input, .saved, .shutdown: continue
            }
        }
    }
}
