// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
public import Logging
public import Playback
public import Service

/// Exports the player on the desktop's session bus by the MPRIS specification (version 2.2), for media keys, `playerctl`, lock
/// screens and Bluetooth remote controls.
///
/// A handle for any thread. It reconnects if the bus ends.
public final class MPRISService: Sendable {
    private let player: PlayerService
    private let artwork: ArtworkFiles
    private let loop: LazyLoop<MPRISMessage>

    /// Whether there is a session bus, by the places where sd-bus looks. False on machines and in containers without a desktop:
    /// then nothing is loaded and no thread runs.
    public static var isPossible: Bool {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
        guard let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty else { return false }
        return access(directory + "/bus", F_OK) == 0
    }

    /// `directory` is for pictures; it is created with the first one.
    public init(player: PlayerService, directory: String, log: Logger) {
        self.player = player
        let inbox = Mailbox<MPRISMessage>(descriptorFor: "mpris")
        let media = player.server.parts.media
        let artwork = ArtworkFiles(directory: directory, media: media) { inbox.post(.artwork($0, $1)) }
        self.artwork = artwork
        loop = LazyLoop("mpris", inbox) { _, refusal in
            guard case .noThread = refusal else { return }
            log.warning("not on the session bus: the machine lets the server have no more threads")
        } run: {
            MPRISLoop(player: player, inbox: $0, artwork: artwork, log: log).run()
        }
    }

    /// Call it after `observe` receives events, so that none is missed.
    public func start() {
        if player.snapshot.settings.remote.mpris { begin() }
    }

    /// The player's observer calls this. Never blocks.
    public func observe(_ event: PlayerEvent) {
        switch event.kind {
        case .status, .item, .completed, .queueEnded, .queueLow, .queue, .jumped: changed()
        case .settings(let settings):
            if settings.remote.mpris { begin() }
            changed()
        case .effects, .faded, .slept, .startEnded, .output, .route, .interruption, .loaded, .error: break
        }
    }

    private func changed() {
        loop.postIfBegun(.changed) { if case .changed = $0 { true } else { false } }
    }

    /// Releases the name and ends the thread; waits for it 0.3 s at most.
    public func stop() {
        artwork.stop()
        loop.shutdown(.stop, within: 0.3)
    }

    /// Starts the thread unless it runs. If the machine allows no more threads, the next change of a setting tries again.
    private func begin() {
        if !loop.isBegun { loop.post(.changed) }
    }
}

/// Messages from other threads to the loop.
enum MPRISMessage: Sendable {
    /// The player has changed. Further ones are left out while one waits.
    case changed
    /// A pending call's number and the player's answer; nil: done.
    case answered(UInt64, Problem?)
    case artwork(ItemID, String?)
    case stop
}
