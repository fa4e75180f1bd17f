// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Playback
internal import Synchronization
internal import Kernel
public import Service

/// The player on the desktop's session bus, by the MPRIS specification (version 2.2): media keys, `playerctl`, lock
/// screens and remote controls over Bluetooth reach it there.
///
/// A handle for any thread. Where `isPossible` is false there is nothing to make it for; a bus that goes is followed.
public final class MPRISService: Sendable {
    private let player: PlayerService
    private let log: Logger
    private let inbox = Mailbox<MPRISMessage>(descriptorFor: "mpris")
    private let artwork: ArtworkFiles
    private let state = Mutex(State.idle)

    private enum State {
        case idle
        case running(NamedThread)
        case stopped
    }

    /// The environment names a session bus, or shows one.
    public static var isPossible: Bool { BusAddress.isSet }

    /// - Parameters:
    ///   - directory: for pictures; made when there is one.
    public init(player: PlayerService, directory: String, log: Logger, pictures: MPRISPictures) {
        self.player = player
        self.log = log
        let inbox = inbox
        artwork = ArtworkFiles(directory: directory, pictures: pictures) {
            inbox.post(.artwork($0, $1))
        }
    }

    /// Once events come to `observe`, so that none is missed.
    public func start() {
        if player.snapshot.settings.remote.mpris { begin() }
    }

    /// For the player's observer: never blocks.
    public func observe(_ event: PlayerEvent) {
        switch event.kind {
        case .status, .item, .completed, .queueEnded, .queueLow, .queue, .jumped: changed()
        case .settings(let settings):
            if settings.remote.mpris { begin() }
            changed()
        case .effects, .slept, .startDropped, .output, .route, .interruption, .loaded, .error: break
        }
    }

    private func changed() {
        inbox.post(.changed) { if case .changed = $0 { true } else { false } }
    }

    /// Gives the name back and ends the thread, which is waited for 0.3 s.
    public func stop() {
        let previous = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        artwork.stop()
        guard case .running(let thread) = previous else { return }
        inbox.post(.stop)
        thread.join(within: 0.3)
    }

    /// Nothing when it runs already. Where there can be no thread, it is tried again with the next change of a setting.
    private func begin() {
        state.withLock { state in
            guard case .idle = state else { return }
            changed()
            let (player, inbox, artwork, log) = (player, inbox, artwork, log)
            let thread = NamedThread(ifPossible: "mpris") {
                MPRISLoop(player: player, inbox: inbox, artwork: artwork, log: log).run()
            }
            guard let thread else {
                return log.warning("not on the session bus: the machine lets the server have no more threads")
            }
            state = .running(thread)
        }
    }
}
