// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Saves what players' current items send: a handle for any thread. Its loop runs on a thread of its own, one for all
/// players, from the first use on.
public final class StreamRecorder: Sendable {
    public struct Environment: Sendable {
        public var store: any StreamStore
        /// What this player's current item sends; throws why there is nothing to record. Must not block.
        public var stream: @Sendable (_ player: String) throws(RecordingError) -> any RecordableStream
        /// The player's current item. Must not block.
        public var item: @Sendable (_ player: String) -> Item?

        public init(
            store: any StreamStore,
            stream: @escaping @Sendable (_ player: String) throws(RecordingError) -> any RecordableStream,
            item: @escaping @Sendable (_ player: String) -> Item?
        ) {
            self.store = store
            self.stream = stream
            self.item = item
        }
    }

    public struct Item: Hashable, Sendable {
        public var id: String
        /// What closes its source opens it anew: another output, the end of an announcement. A station that is paused has been left.
        public var isHeld: Bool

        public init(id: String, isHeld: Bool) {
            self.id = id
            self.isHeld = isHeld
        }
    }

    public typealias Observer = @Sendable (_ player: String, StreamRecordingStatus) -> Void

    /// By player.
    typealias Board = Published<[String: StreamRecordingStatus], (player: String, status: StreamRecordingStatus)>

    private let board: Board
    private let loop: LazyLoop<StreamMessage>

    public init(_ environment: Environment) {
        let board = Board([:])
        self.board = board
        loop = LazyLoop("stream-recorder") { StreamRecorderLoop(environment, $0, board).run() }
    }

    /// The newest state; the bytes are those of the moment.
    public func status(of player: String) -> StreamRecordingStatus { board.status(of: player) }

    /// Whether this file is being written.
    public func isMaking(_ id: String) -> Bool { board.value.values.contains { $0.current?.id == id } }

    /// `observer` is called from the recorder's thread, in order, after the state is readable; it must not block.
    public func observe(_ observer: @escaping Observer) { board.observe { observer($0.player, $0.status) } }

    /// Begins a file; changes nothing while one is made of this player. `isNew`: it was started; replies come from the
    /// recorder's thread.
    public func start(
        _ player: String, name: String?, limits: StreamLimits = StreamLimits(),
        reply: @escaping @Sendable (Result<(status: StreamRecordingStatus, isNew: Bool), RecordingError>) -> Void
    ) {
        do {
            try loop.post(.start(player, name: name, limits, reply))
        } catch {
            reply(.failure(RecordingError(error)))
        }
    }

    public func stop(
        _ player: String, reply: @escaping @Sendable (Result<StreamRecordingStatus, RecordingError>) -> Void
    ) {
        guard loop.isBegun else { return reply(.failure(.notRecording)) }
        do { try loop.post(.stop(player, reply)) } catch { reply(.failure(RecordingError(error))) }
    }

    /// The player's item or status has changed, or a source of its item is open now.
    public func changed(_ player: String) { loop.postIfBegun(.changed(player)) }

    /// The player goes: its recording ends, which is reported, and nothing is known of it any more.
    public func forget(_ player: String, done: @escaping @Sendable () -> Void) {
        if !loop.postIfBegun(.forget(player, done)) { done() }
    }

    /// Ends and completes what is being recorded, for 1 s at most: what a disk that hangs has not taken by then is recovered
    /// at the next start.
    public func shutdown() {
        for message in loop.shutdown(.shutdown, within: 1) { message.refuse() }
    }
}

extension StreamRecorder.Board {
    func status(of player: String) -> StreamRecordingStatus { value[player] ?? StreamRecordingStatus() }

    /// Bytes that grow are no event.
    func publish(_ status: StreamRecordingStatus, of player: String, isEvent: Bool) {
        change { players in
            players[player] = status
            return isEvent ? (player, status) : nil
        }
    }
}

/// What comes to the recorder's thread.
enum StreamMessage: Sendable {
    case start(
        String, name: String?, StreamLimits,
        @Sendable (Result<(status: StreamRecordingStatus, isNew: Bool), RecordingError>) -> Void)
    case stop(String, @Sendable (Result<StreamRecordingStatus, RecordingError>) -> Void)
    /// There may be more of this recording; at most one of them waits.
    case arrived(String, generation: Int)
    /// Another item is current, its source is open, or the player rests, perhaps.
    case changed(String)
    case forget(String, @Sendable () -> Void)
    case shutdown

    func refuse() {
        switch self {
        case .start(_, _, _, let reply): reply(.failure(.shuttingDown))
        case .stop(_, let reply): reply(.failure(.shuttingDown))
        case .forget(_, let done): done()
        case .arrived, .changed, .shutdown: break
        }
    }
}
