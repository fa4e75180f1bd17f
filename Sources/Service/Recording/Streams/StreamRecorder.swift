// SPDX-License-Identifier: Apache-2.0

import Kernel

/// Saves the bytes of players' current items: a handle for any thread. All players share one loop on a thread of its
/// own, which starts with the first use.
public final class StreamRecorder: Sendable {
    struct Environment {
        let store: any StreamStore
        let stream: @Sendable (_ player: String) throws(RecordingError) -> any RecordableStream
        let item: @Sendable (_ player: String) -> Item?
    }

    public struct Item: Hashable, Sendable {
        public var id: String
        /// The reason that closed the source also reopens it: another output, or the end of an announcement. A paused
        /// station, in contrast, counts as left.
        public var isHeld: Bool

        public init(id: String, isHeld: Bool) {
            self.id = id
            self.isHeld = isHeld
        }
    }

    public typealias Started = (status: StreamRecordingStatus, isNew: Bool)

    /// By player.
    typealias Board = Published<[String: StreamRecordingStatus], (player: String, status: StreamRecordingStatus)>

    private let board: Board
    private let loop: LazyLoop<StreamMessage>

    /// - Parameters:
    ///   - stream: the bytes of this player's current item; throws if there is nothing to record. Must not block.
    ///   - item: the player's current item. Must not block.
    public init(
        store: any StreamStore,
        stream: @escaping @Sendable (_ player: String) throws(RecordingError) -> any RecordableStream,
        item: @escaping @Sendable (_ player: String) -> Item?
    ) {
        let environment = Environment(store: store, stream: stream, item: item)
        let board = Board([:])
        self.board = board
        loop = LazyLoop("stream-recorder") {
            $0.refuse(RecordingError($1))
        } run: {
            StreamRecorderLoop(environment, $0, board).run()
        }
    }

    /// The newest state, with the present size.
    public func status(of player: String) -> StreamRecordingStatus { board.status(of: player) }

    /// Whether this file is in progress.
    public func isMaking(_ id: String) -> Bool { board.value.values.contains { $0.current?.id == id } }

    /// `observer` is called on the recorder's thread, in order, after the state is readable; it must not block.
    public func observe(_ observer: @escaping @Sendable (_ player: String, StreamRecordingStatus) -> Void) {
        board.observe { observer($0.player, $0.status) }
    }

    /// Starts a file; changes nothing while one of this player is in progress. `isNew`: a file was started. Replies
    /// come on the recorder's thread.
    public func start(
        _ player: String, name: String?, limits: StreamLimits = StreamLimits(),
        reply: @escaping RecordingReply<Started>
    ) {
        loop.post(.start(player, name: name, limits, reply))
    }

    public func stop(_ player: String, reply: @escaping RecordingReply<StreamRecordingStatus>) {
        guard loop.isBegun else { return reply(.failure(.notRecording)) }
        loop.post(.stop(player, reply))
    }

    /// The player's item or status has changed, or a source of its item was opened.
    public func changed(_ player: String) { loop.postIfBegun(.changed(player)) }

    /// The player is removed: its recording ends, which is reported, and its state is forgotten.
    public func forget(_ player: String, done: @escaping @Sendable () -> Void) {
        if !loop.postIfBegun(.forget(player, done)) { done() }
    }

    /// Ends and completes the recordings, within 1 s: data that a hanging disk has not accepted by then is recovered at
    /// the next start.
    public func shutdown() { loop.shutdown(.shutdown, within: 1) }
}

extension StreamRecorder.Board {
    func status(of player: String) -> StreamRecordingStatus { value[player] ?? StreamRecordingStatus() }

    /// A changed size alone is no event.
    func publish(_ status: StreamRecordingStatus, of player: String, isEvent: Bool) {
        change { players in
            players[player] = status
            return isEvent ? (player, status) : nil
        }
    }
}

/// Messages to the recorder's thread.
enum StreamMessage: Sendable {
    case start(String, name: String?, StreamLimits, RecordingReply<StreamRecorder.Started>)
    case stop(String, RecordingReply<StreamRecordingStatus>)
    /// There may be more bytes of this recording; at most one such message waits.
    case arrived(String, generation: Int)
    /// Possibly another item is current, its source was opened, or the player has stopped.
    case changed(String)
    case forget(String, @Sendable () -> Void)
    case shutdown

    func refuse(_ error: RecordingError) {
        switch self {
        case .start(_, _, _, let reply): reply(.failure(error))
        case .stop(_, let reply): reply(.failure(error))
        case .forget(_, let done): done()
        case .arrived, .changed, .shutdown: break
        }
    }
}
