// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
public import Logging
public import Playback
public import Service

/// The player on the desktop's session bus, by the MPRIS specification (version 2.2): media keys, `playerctl`, lock
/// screens and remote controls over Bluetooth reach it there.
///
/// A handle for any thread. Where `isPossible` is false there is nothing to make it for; a bus that goes is followed.
public final class MPRISService: Sendable {
    private let player: PlayerService
    private let log: Logger
    private let artwork: ArtworkFiles
    private let loop: LazyLoop<MPRISMessage>

    /// The environment names a session bus, or shows one.
    public static var isPossible: Bool { BusAddress.isSet }

    /// - Parameters:
    ///   - directory: for pictures; made when there is one.
    public init(player: PlayerService, directory: String, log: Logger) {
        self.player = player
        self.log = log
        let inbox = Mailbox<MPRISMessage>(descriptorFor: "mpris")
        let media = player.server.parts.media
        let artwork = ArtworkFiles(directory: directory, media: media) { inbox.post(.artwork($0, $1)) }
        self.artwork = artwork
        loop = LazyLoop("mpris", inbox) { MPRISLoop(player: player, inbox: $0, artwork: artwork, log: log).run() }
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
        loop.postIfBegun(.changed) { if case .changed = $0 { true } else { false } }
    }

    /// Gives the name back and ends the thread, which is waited for 0.3 s.
    public func stop() {
        artwork.stop()
        _ = loop.shutdown(.stop, within: 0.3)
    }

    /// Nothing when it runs already. Where there can be no thread, it is tried again with the next change of a setting.
    private func begin() {
        guard !loop.isBegun else { return }
        do throws(LazyLoop<MPRISMessage>.Refusal) {
            try loop.post(.changed)
        } catch {
            guard case .noThread = error else { return }
            log.warning("not on the session bus: the machine lets the server have no more threads")
        }
    }
}

/// A message of other threads to the bus's thread.
enum MPRISMessage: Sendable {
    /// The player; however often, it is looked at once.
    case changed
    /// nil: done.
    case answered(UInt64, Problem?)
    case artwork(ItemID, String?)
    case stop
}

/// Where the session bus is, by the environment; sd-bus looks in the same places.
enum BusAddress {
    /// False on machines and in containers without a desktop: then nothing is loaded and nothing runs.
    static var isSet: Bool {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
        guard let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty else { return false }
        return access(directory + "/bus", F_OK) == 0
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
