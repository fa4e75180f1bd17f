// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Kernel

/// A player, usable from any thread: commands go in, an immutable snapshot and events come out.
///
/// Its private loop has a thread of its own; nothing here waits for it. An edit may be handled on the caller's thread, and its
/// end on the store's.
public final class Player: Sendable {
    /// The player's dependencies; all are replaced in tests.
    public struct Environment: Sendable {
        public var opener: any MediaOpener
        public var output: any AudioOutput
        public var conversion: any SampleRateConversion
        public var store: any PlayerStore
        public var clock: any PlayerClock
        public var networkBuffering = NetworkBuffering()
        /// Id of the output device to use until one is chosen.
        public var device: String?
        public var stretching: any TimeStretching = NoStretching()
        public var buffering: DecodeBuffering
        public var memory = QueueMemory()
        /// Known already, until `output` reports its own.
        public var outputs: [OutputDevice] = []
        /// The player that it follows from the start: the host keeps that.
        public var leader: String?

        public init(
            opener: any MediaOpener, output: any AudioOutput, conversion: any SampleRateConversion,
            store: any PlayerStore, clock: any PlayerClock, buffering: DecodeBuffering = DecodeBuffering()
        ) {
            self.opener = opener
            self.output = output
            self.conversion = conversion
            self.store = store
            self.clock = clock
            self.buffering = buffering
        }
    }

    /// The budgets that the queues of a server share.
    public struct QueueMemory: Sendable {
        let queues = SharedByteBudget(.queue)
        let undo = SharedByteBudget(.undo)

        public init() {}
    }

    private let loop: PlayerLoop
    private let thread: NamedThread
    private let stretching: any TimeStretching
    private let isDown = Atomic(false)

    /// Loads the saved state (blocking) and starts the loop and the output.
    ///
    /// `observer` is called for every event, one at a time and in order, after its state is readable; from any thread. It must
    /// not block.
    public init(_ environment: Environment, observer: @escaping @Sendable (PlayerEvent) -> Void = { _ in }) {
        let loop = PlayerLoop(environment)
        self.loop = loop
        stretching = environment.stretching
        loop.observer.withLock { $0.call = observer }
        thread = NamedThread("player") { loop.run() }
    }

    /// The newest published state.
    public var snapshot: PlayerSnapshot { loop.published.withLock { $0 } }

    /// `reply` comes exactly once, from any thread: when the command has taken effect and is saved, or with its
    /// error, which may come at once. Within 1 s; within 5 s where a disk that hangs has to keep the change. It must not block.
    public func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        perform(command, origin: .client, reply: reply)
    }

    /// A player that follows gets its items from its `Follower` alone.
    func perform(
        _ command: PlayerCommand, origin: PlayerCommand.Origin,
        reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        if let refusal = refusalOfTempo(command) { return reply(.failure(refusal)) }
        let message = PlayerLoop.Message.command(command, origin, reply)
        let isTaken = if case .edit = command { loop.serve(message) } else { loop.mailbox.post(message) }
        if !isTaken { reply(.failure(PlayerLoop.goingDown)) }
    }

    /// Here and not on the loop, because the library may have to be read from the disk first.
    private func refusalOfTempo(_ command: PlayerCommand) -> PlaybackError? {
        guard case .apply(let patch) = command, patch.changesTempo else { return nil }
        let settings = snapshot.settings.applying(patch)
        guard [true, false].contains(where: { settings.tempo(isSpeech: $0).needsStretcher }) else { return nil }
        do throws(MediaError) { try stretching.load() } catch { return PlaybackError(.libraryMissing, error.message) }
        return nil
    }

    /// Up to `limit` items from `offset` on; consistent within itself. Costs what the window costs.
    public func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        loop.core.withLock { $0.queue.window(offset: offset, limit: limit) }
    }

    /// All items; shares their storage.
    public var queueContents: QueueContents { loop.core.withLock { $0.queue.contents } }

    /// The item with its index; nil when it is not in the queue.
    public func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        loop.core.withLock { core in
            guard let item = core.queue.item(id), let index = core.queue.index(of: id) else { return nil }
            return (item, index, core.queue.revision)
        }
    }

    /// The position heard at this moment, by the sink's clock; nil unless sound advances. From any thread.
    public func audiblePosition() -> AudiblePosition? { loop.audiblePosition() }

    /// Has what is heard copied for `tap`, before the volume; nil ends that.
    public func listen(_ tap: SoundTap?) { loop.output.perform(.setTap(tap)) }

    /// The frame that is heard at this moment, as its index in the tap.
    public var outputClock: OutputClock { loop.output.clock() }

    /// The item after the current one, once it is known: a while before its end.
    public var upcoming: QueueItem? { loop.core.withLock { $0.upcoming?.item } }

    /// Makes all that is heard quieter by a factor beside the user's volume, moving to it over `seconds`; 1 takes it back.
    /// It is no setting: it is neither reported nor saved.
    public func duck(to gain: Double, over seconds: Double) { loop.mailbox.post(.duck(to: gain, seconds: seconds)) }

    /// Calls back on the player's thread. False, and no call, when the player is down.
    public func ping(_ answer: @escaping @Sendable () -> Void) -> Bool { loop.mailbox.post(.ping(answer)) }

    /// Replaces the observer given at the start.
    public func observe(_ observer: @escaping @Sendable (PlayerEvent) -> Void) {
        loop.observer.withLock { $0.call = observer }
    }

    /// Fades out, saves, ends the loop and the output. Blocks up to 1.5 s. Later commands get `shutting-down`.
    public func shutdown() {
        guard loop.mailbox.post(.shutdown), !isDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        thread.join()
    }
}
