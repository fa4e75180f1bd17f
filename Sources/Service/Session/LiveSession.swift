// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Kernel

/// The running session: a handle for any thread. Its loop has a thread of its own.
public final class LiveSession: Sendable {
    /// The parts that the session uses.
    public struct Environment: Sendable {
        public var store: any PlayerStore
        /// nil for outputs without other programs (a file, a silent clock).
        public var otherStreams: (any OtherStreamsWatch)?
        public var players: SessionPlayers
        /// An exclusive session silences other applications.
        public var interruptsOthers: Bool
        /// The values saved under this session's names.
        public var notes: [String: String]
        /// Seconds that the disk has for saving a change; then the change is refused.
        public var patience = 3.0

        public init(
            store: any PlayerStore, otherStreams: (any OtherStreamsWatch)?, interruptsOthers: Bool,
            notes: [String: String], players: SessionPlayers
        ) {
            self.store = store
            self.otherStreams = otherStreams
            self.interruptsOthers = interruptsOthers
            self.notes = notes
            self.players = players
        }
    }

    private let loop: LazyLoop<SessionMessage>
    private let published: Published<SessionStatus, SessionStatus>

    public init(_ environment: Environment) {
        let core = SessionNotes.core(environment.notes, interruptsOthers: environment.interruptsOthers)
        let published = Published<SessionStatus, SessionStatus>(core.status)
        self.published = published
        loop = LazyLoop("session") {
            $0.refuse($1.reason)
        } run: {
            SessionLoop(environment, core, $0, published).run()
        }
        loop.post(.otherStreams(nil))
        environment.otherStreams?.watchOtherStreams { [loop] in loop.post(.otherStreams($0)) }
    }

    public var status: SessionStatus { published.value }

    /// Called from the session's thread after each change; must not block.
    public func observe(_ observer: @escaping @Sendable (SessionStatus) -> Void) {
        published.observe(observer)
    }

    /// The state of a player before its first event.
    public func receive(_ snapshot: PlayerSnapshot, of player: String) {
        loop.post(.output(player, isThere: snapshot.output.availability == .available))
        loop.post(.player(player, wantsSound: snapshot.playWhenReady && snapshot.status != .interrupted))
    }

    /// The player was removed: later events of it are ignored.
    public func forget(_ player: String) { loop.post(.left(player)) }

    /// For `Player.observe`.
    public func receive(_ event: PlayerEvent, of player: String) {
        switch event.kind {
        case .status(let status, _, _, let wantsSound, _, _, _):
            loop.post(.player(player, wantsSound: wantsSound && status != .interrupted))
        case .output(let output): loop.post(.output(player, isThere: output.availability == .available))
        default: break
        }
    }

    /// For the announcer of a player: whether an announcement plays beside or instead of its music.
    public func receive(announcing: Bool, of player: String) { loop.post(.announcing(player, announcing)) }

    /// From the login manager; `done` comes once, when the players have followed.
    public func receive(_ notice: MachineNotice, done: @escaping @Sendable () -> Void) {
        loop.post(.machine(notice, done: done))
    }

    /// `reply` comes once: when the whole change is saved and committed, or with the reason of its refusal; then
    /// nothing has changed.
    public func change(_ request: SessionRequest, reply: @escaping ServiceReply<SessionStatus>) {
        loop.post(.change(request, reply))
    }

    /// Restores other programs' sound; blocks until the requests are sent, 0.5 s at most.
    public func stop() { loop.shutdown(.stop, within: 0.5) }
}
