// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Kernel

/// A player. Any thread may use it: commands go in, an immutable snapshot and events come out.
///
/// The private loop has its own thread, for which no method waits except `shutdown`. An edit may be handled on the
/// caller's thread, and its completion on the store's.
public final class Player: Sendable {
    /// The player's dependencies. Tests replace them.
    public struct Environment: Sendable {
        public var opener: any MediaOpener
        public var output: any AudioOutput
        public var conversion: any SampleRateConversion
        public var stretching: any TimeStretching
        public var store: any PlayerStore
        public var clock: any PlayerClock
        public var networkBuffering = NetworkBuffering()
        /// Id of the configured output device, used until the user chooses one.
        public var device: String?
        public var buffering: DecodeBuffering
        public var memory = QueueMemory()
        /// Output devices known before `output` reports its own.
        public var outputs: [OutputDevice] = []
        /// The player that this one follows from the start. The host saves it.
        public var leader: String?

        public init(
            opener: any MediaOpener, output: any AudioOutput, conversion: any SampleRateConversion,
            stretching: any TimeStretching, store: any PlayerStore, clock: any PlayerClock,
            buffering: DecodeBuffering = DecodeBuffering()
        ) {
            self.opener = opener
            self.output = output
            self.conversion = conversion
            self.stretching = stretching
            self.store = store
            self.clock = clock
            self.buffering = buffering
        }
    }

    /// The memory budgets that all queues of a server share.
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
    /// `observer` receives all events, in order, from any thread, after their state is readable. It must not block.
    public init(_ environment: Environment, observer: @escaping @Sendable (PlayerEvent) -> Void = { _ in }) {
        let loop = PlayerLoop(environment)
        self.loop = loop
        stretching = environment.stretching
        loop.published.observe(observer)
        thread = NamedThread("player") { loop.run() }
    }

    /// The latest published state.
    public var snapshot: PlayerSnapshot { loop.published.value }

    /// `reply` is called exactly once, from any thread: when the command has taken effect and is saved, or with an error
    /// (possibly before this returns). It comes within 1 s, or within 5 s if the disk hangs. It must not block.
    public func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        perform(command, origin: .client, reply: reply)
    }

    /// Only its `Follower` controls what a follower plays, and only an alarm's edits take effect unsaved.
    public func perform(
        _ command: PlayerCommand, origin: PlayerCommand.Origin,
        reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        if let refusal = refusalOfTempo(command) { return reply(.failure(refusal)) }
        let message = PlayerLoop.Message.command(command, origin, reply)
        let isAccepted = if case .edit = command { loop.serve(message) } else { loop.mailbox.post(message) }
        if !isAccepted { reply(.failure(PlayerLoop.goingDown)) }
    }

    /// Checked here and not on the loop, because loading the library may read the disk.
    private func refusalOfTempo(_ command: PlayerCommand) -> PlaybackError? {
        guard case .apply(let patch) = command, patch.changesTempo else { return nil }
        let settings = snapshot.settings.applying(patch)
        guard [true, false].contains(where: { settings.tempo(isSpeech: $0).needsStretcher }) else { return nil }
        do throws(MediaError) { try stretching.load() } catch { return PlaybackError(.libraryMissing, error.message) }
        return nil
    }

    /// Up to `limit` items from `offset` on, from one revision. The cost depends on `limit` only.
    public func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        loop.core.withLock { $0.queue.window(offset: offset, limit: limit) }
    }

    /// All items; shares their storage.
    public var queueContents: QueueContents { loop.core.withLock { $0.queue.contents } }

    /// The item and its index; nil if the queue does not have it.
    public func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        loop.core.withLock { core in
            guard let item = core.queue.item(id), let index = core.queue.index(of: id) else { return nil }
            return (item, index, core.queue.revision)
        }
    }

    /// The audible position at this moment, by the sink's clock; nil unless sound advances. Any thread may call this.
    public func audiblePosition() -> AudiblePosition? { loop.audiblePosition() }

    /// Copies the sound, before the volume, to `tap`; nil ends that.
    public func listen(_ tap: SoundTap?) { loop.output.perform(.setTap(tap)) }

    /// The audible frame at this moment, as its index in the tap.
    public var outputClock: OutputClock { loop.output.clock() }

    /// The item after the current one; known only some seconds before the current item ends.
    public var upcoming: QueueItem? { loop.core.withLock { $0.upcoming?.item } }

    /// Multiplies the volume by a factor, reached over `seconds`; 1 restores it. Neither reported nor saved.
    public func duck(to gain: Double, over seconds: Double) {
        loop.mailbox.post(.input(.duck(to: gain, seconds: seconds)))
    }

    /// Calls back on the player's thread. Returns false, without a call, after `shutdown`.
    public func ping(_ answer: @escaping @Sendable () -> Void) -> Bool { loop.mailbox.post(.ping(answer)) }

    /// Replaces the observer that was passed at initialisation.
    public func observe(_ observer: @escaping @Sendable (PlayerEvent) -> Void) { loop.published.observe(observer) }

    /// Fades out, saves, and ends the loop and the output. Blocks up to 1.5 s. Later commands fail with `shutting-down`.
    public func shutdown() {
        guard loop.mailbox.post(.shutdown), !isDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        thread.join()
    }
}
