// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Kernel

/// The running session: a handle for any thread. Its loop has a thread of its own.
public final class LiveSession: Sendable {
    struct Environment {
        let store: any PlayerStore
        let otherStreams: (any OtherStreamsWatch)?
        let players: SessionPlayers
        let patience: Double
    }

    private let loop: LazyLoop<SessionMessage>
    private let published: Published<SessionStatus, SessionStatus>

    /// - Parameters:
    ///   - otherStreams: nil for outputs without other programs (a file, a silent clock).
    ///   - interruptsOthers: an exclusive session silences other programs.
    ///   - notes: the values saved under this session's names.
    ///   - patience: seconds that the disk has for saving a change; then the change is refused.
    public init(
        store: any PlayerStore, otherStreams: (any OtherStreamsWatch)?, interruptsOthers: Bool, notes: [String: String],
        players: SessionPlayers, patience: Double = 3
    ) {
        let environment = Environment(store: store, otherStreams: otherStreams, players: players, patience: patience)
        let core = SessionNotes.core(notes, interruptsOthers: interruptsOthers)
        let published = Published<SessionStatus, SessionStatus>(core.status)
        self.published = published
        loop = LazyLoop("session") {
            $0.refuse($1.reason)
        } run: {
            SessionLoop(environment, core, $0, published).run()
        }
        loop.post(.otherStreams(.streams(nil)))
        otherStreams?.watchOtherStreams { [loop] in loop.post(.otherStreams($0)) }
    }

    public var status: SessionStatus { published.value }

    /// Called from the session's thread after each change; must not block.
    public func observe(_ observer: @escaping @Sendable (SessionStatus) -> Void) {
        published.observe(observer)
    }

    /// The state of a player before its first event.
    public func receive(_ snapshot: PlayerSnapshot, of player: String) {
        loop.post(.player(player, .hasOutput, snapshot.output.availability == .available))
        loop.post(.player(player, .wantsSound, snapshot.playWhenReady && snapshot.status != .interrupted))
    }

    /// The player was removed: later events of it are ignored.
    public func forget(_ player: String) { loop.post(.left(player)) }

    /// For `Player.observe`.
    public func receive(_ event: PlayerEvent, of player: String) {
        switch event.kind {
        case .status(let status, _, _, let wantsSound, _, _, _):
            loop.post(.player(player, .wantsSound, wantsSound && status != .interrupted))
        case .output(let output): loop.post(.player(player, .hasOutput, output.availability == .available))
        default: break
        }
    }

    /// For the announcer of a player: whether an announcement plays beside or instead of its music.
    public func receive(announcing: Bool, of player: String) { loop.post(.player(player, .announces, announcing)) }

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
