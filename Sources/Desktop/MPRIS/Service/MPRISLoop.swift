// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import Logging
import Playback
internal import Service

/// The thread's loop: answers calls and emits changes. Waits for the bus and its inbox only.
final class MPRISLoop {
    /// Maximum number of calls that wait for the player, as for a client of the event channel.
    private static let maximumPending = 100

    private let player: PlayerService
    private let inbox: Mailbox<MPRISMessage>
    private let object: MediaPlayerObject
    private let artwork: ArtworkFiles
    private let log: Logger
    private lazy var link: BusLink<BusConnection> = BusLink("session bus", log: log) {
        [unowned self] library throws(BusFailure) in
        try connect(library)
    }
    private var pending: [UInt64: BusMessage] = [:]
    private var commandCount: UInt64 = 0
    /// The last requested picture.
    private var requestedArtwork: RequestedArtwork?

    private struct RequestedArtwork: Equatable {
        var item: ItemID
        var address: MediaLocator?
        /// The item's tags were known.
        var isOpen: Bool
    }

    init(player: PlayerService, inbox: Mailbox<MPRISMessage>, artwork: ArtworkFiles, log: Logger) {
        self.player = player
        self.inbox = inbox
        self.artwork = artwork
        self.log = log
        object = MediaPlayerObject(player: player) { .now }
    }

    func run() {
        while true {
            let messages = inbox.take()
            for message in messages {
                switch message {
                case .changed: break
                case .answered(let number, let problem): answered(number, problem)
                case .artwork(let item, let url): object.setArtwork(url, of: item)
                case .stop: return disconnect()
                }
            }
            if !messages.isEmpty { follow() }
            if link.turn() { pending = [:] }
            if let deadline = object.deadline, deadline <= .now { emitChanges() }
            link.wait(inbox.descriptor, until: link.client == nil ? nil : object.deadline)
        }
    }

    // MARK: Connection

    /// Applies the setting, then emits the player's changes.
    private func follow() {
        switch (link.isOff, player.snapshot.settings.remote.mpris) {
        case (true, true): link.connect()
        case (false, false): disconnect()
        case (false, true): emitChanges()
        case (true, false): break
        }
    }

    private func connect(_ library: BusLibrary) throws(BusFailure) -> BusConnection {
        let connection = try BusConnection(library) { [unowned self] in
            received($0)
        } named: { [unowned self] in
            link.confirm()
            log.info("on the session bus", metadata: ["name": "\($0)"])
        }
        // Earlier changes need no signals: clients begin by reading.
        _ = object.refresh()
        requestArtwork()
        return connection
    }

    private func disconnect() {
        pending = [:]
        link.disconnect()
    }

    private func emitChanges() {
        guard link.client != nil else { return }
        requestArtwork()
        for signal in object.refresh() {
            link.attempt { connection throws(BusFailure) in try connection.send(signal) }
        }
    }

    private func requestArtwork() {
        let snapshot = player.snapshot
        guard let current = snapshot.item, snapshot.settings.remote.showsMetadata else {
            requestedArtwork = nil
            return artwork.cancel()
        }
        let draft = current.item.draft
        let new = RequestedArtwork(item: current.item.id, address: draft.webPicture, isOpen: current.media != nil)
        guard new != requestedArtwork else { return }
        // An item that opens does not cancel its picture's download: the picture in its tags is only the second choice.
        if new.item != requestedArtwork?.item || new.address != requestedArtwork?.address { artwork.cancel() }
        requestedArtwork = new
        // A client's picture is known before the item is open.
        guard new.isOpen || new.address != nil else { return }
        artwork.request(
            ArtworkFiles.Request(
                item: current.item.id, address: new.address,
                locator: MediaLocator(draft), picture: current.media?.tags.picture))
    }

    // MARK: Calls

    private func received(_ call: BusMessage) {
        // Pending changes are emitted before the answer.
        emitChanges()
        link.attempt { connection throws(BusFailure) in try answer(call, on: connection) }
    }

    private func answer(_ call: BusMessage, on connection: BusConnection) throws(BusFailure) {
        let (interface, member) = (call.interface, call.member)
        var arguments: [BusValue] = []
        if let method = Introspection.method(interface, member) {
            let types = method.takes.map(\.type)
            guard call.signature == types.joined() else {
                let detail = "\(member) takes (\(types.joined())), not (\(call.signature))."
                return try connection.answer(call, .invalid(detail))
            }
            arguments = try call.values(types)
        }
        switch object.answer(interface, member, arguments) {
        case .values(let values): try connection.answer(call, values)
        case .failure(let error): try connection.answer(call, error)
        case .command(let command):
            try answerLater(call, on: connection) { reply in player.perform(command) { reply($0.problem) } }
        case .addition(let addition):
            try answerLater(call, on: connection) { reply in
                player.add(addition, for: .local) { reply($0.problem) }
            }
        }
    }

    /// Answers the call when the player has answered.
    private func answerLater(
        _ call: BusMessage, on connection: BusConnection,
        _ ask: (@escaping @Sendable (Problem?) -> Void) -> Void
    ) throws(BusFailure) {
        guard pending.count < Self.maximumPending else { return try connection.answer(call, .tooMany) }
        commandCount += 1
        let number = commandCount
        pending[number] = call
        ask { [inbox] in inbox.post(.answered(number, $0)) }
    }

    private func answered(_ number: UInt64, _ problem: Problem?) {
        guard let call = pending.removeValue(forKey: number) else { return }
        emitChanges()
        link.attempt { connection throws(BusFailure) in
            if let problem { try connection.answer(call, .player(problem)) } else { try connection.answer(call, []) }
        }
    }
}

extension Result where Failure == Problem {
    fileprivate var problem: Problem? { if case .failure(let problem) = self { problem } else { nil } }
}
