// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Playback
internal import Kernel
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
    public init(player: PlayerService, directory: String, log: Logger, pictures: MPRISPictures) {
        self.player = player
        self.log = log
        let inbox = Mailbox<MPRISMessage>(descriptorFor: "mpris")
        let artwork = ArtworkFiles(directory: directory, pictures: pictures) { inbox.post(.artwork($0, $1)) }
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
