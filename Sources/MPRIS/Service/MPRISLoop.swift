// SPDX-License-Identifier: Apache-2.0

import DBus
internal import Glibc
internal import Loading
internal import Logging
import Playback
import Threading
internal import Numbers

/// The bus's thread: connects, answers, tells changes, and connects again. Waits on the bus and on its inbox only.
final class MPRISLoop {
    private static let firstRetry = 0.5
    private static let longestRetry = 30.0
    /// Calls that wait for the player, as many as a client of the event channel may have.
    private static let maximumPending = 100

    private enum State {
        /// Switched off by the setting.
        case off
        case connected(BusConnection)
        case waiting(until: MonotonicTime)
        /// There is no libsystemd: nothing to wait for.
        case impossible
    }

    private let player: any PlayerAccess
    private let inbox: MPRISInbox
    private let object: MediaPlayerObject
    private let artwork: ArtworkFiles
    private let log: Logger
    private var state = State.off
    private var library: BusLibrary?
    private var retryDelay = firstRetry
    private var pending: [UInt64: BusMessage] = [:]
    private var commandCount: UInt64 = 0
    /// The picture that was asked for last.
    private var askedArtwork: AskedArtwork?

    private struct AskedArtwork: Equatable {
        var item: ItemID
        var address: MediaLocator?
        /// What the media brings was known.
        var isOpen: Bool
    }
    /// A connection must not be freed while it calls.
    private var lost: BusFailure?

    init(player: any PlayerAccess, inbox: MPRISInbox, artwork: ArtworkFiles, log: Logger) {
        self.player = player
        self.inbox = inbox
        self.artwork = artwork
        self.log = log
        object = MediaPlayerObject(player: player) { .now }
    }

    func run() {
        while true {
            let (messages, hasChanged) = inbox.take()
            for message in messages {
                switch message {
                case .answered(let number, let result): answered(number, result)
                case .artwork(let item, let url): object.setArtwork(url, of: item)
                case .stop: return disconnect()
                }
            }
            if hasChanged || !messages.isEmpty { follow() }
            if case .connected(let connection) = state { turn(connection) }
            if let failure = lost { connectionLost(failure) }
            if case .waiting(let until) = state, until <= .now { connect() }
            wait()
        }
    }

    // MARK: Connection

    /// The setting may have changed; then the player.
    private func follow() {
        switch (state, player.snapshot.settings.remote.mpris) {
        case (.off, true): connect()
        case (.connected, false), (.waiting, false): disconnect()
        case (.connected, true): tell()
        default: break
        }
    }

    private func connect() {
        do throws(MissingLibrary) {
            if library == nil { library = try BusLibrary() }
            guard let library else { return }
            do throws(BusFailure) {
                let connection = try BusConnection(library) { [unowned self] in
                    received($0)
                } named: {
                    [unowned self] in
                    retryDelay = Self.firstRetry
                    log.info("on the session bus", metadata: ["name": "\($0)"])
                }
                // What happened meanwhile is no news: clients read first.
                _ = object.refresh()
                state = .connected(connection)
                askForArtwork()
            } catch {
                retryLater(error)
            }
        } catch {
            log.notice("no MPRIS: libsystemd cannot be loaded", metadata: ["reason": "\(error.reason)"])
            state = .impossible
        }
    }

    private func disconnect() {
        pending = [:]
        lost = nil
        state = .off
    }

    private func connectionLost(_ failure: BusFailure) {
        disconnect()
        retryLater(failure)
    }

    private func retryLater(_ failure: BusFailure) {
        let reason = String(cString: strerror(-failure.code))
        log.debug("no session bus", metadata: ["call": "\(failure.call)", "reason": "\(reason)"])
        state = .waiting(until: .now.advanced(bySeconds: retryDelay))
        retryDelay = min(Self.longestRetry, retryDelay * 2)
    }

    // MARK: A turn

    private func turn(_ connection: BusConnection) {
        attempt { () throws(BusFailure) in try connection.process() }
        if let deadline = object.deadline, deadline <= .now { tell() }
    }

    private func tell() {
        guard case .connected(let connection) = state else { return }
        askForArtwork()
        for signal in object.refresh() {
            attempt { () throws(BusFailure) in try connection.send(signal) }
        }
    }

    private func askForArtwork() {
        let snapshot = player.snapshot
        guard let current = snapshot.item, snapshot.settings.remote.showsMetadata else {
            askedArtwork = nil
            return artwork.cancel()
        }
        let draft = current.item.draft
        let asked = AskedArtwork(item: current.item.id, address: draft.webPicture, isOpen: current.media != nil)
        guard asked != askedArtwork else { return }
        if asked.item != askedArtwork?.item { artwork.cancel() }
        askedArtwork = asked
        // A picture that was named is there before the media is.
        guard asked.isOpen || asked.address != nil else { return }
        artwork.request(
            ArtworkFiles.Request(
                item: current.item.id, address: asked.address,
                locator: MediaLocator(draft), picture: current.media?.tags.picture))
    }

    private func attempt(_ body: () throws(BusFailure) -> Void) {
        guard lost == nil else { return }
        do throws(BusFailure) { try body() } catch { lost = error }
    }

    // MARK: Calls

    private func received(_ call: BusMessage) {
        guard case .connected(let connection) = state else { return }
        // What has changed is told before anything is answered.
        tell()
        attempt { () throws(BusFailure) in try answer(call, on: connection) }
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
        case .variant(let value): try connection.answer(call, variant: value)
        case .failure(let error): try connection.answer(call, error)
        case .command(let command):
            try answerLater(call, on: connection) { player.perform(command, reply: $0) }
        case .addition(let addition):
            try answerLater(call, on: connection) { player.add(addition, reply: $0) }
        }
    }

    /// The player's answer is the call's.
    private func answerLater(
        _ call: BusMessage, on connection: BusConnection,
        _ ask: (@escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void) -> Void
    ) throws(BusFailure) {
        guard pending.count < Self.maximumPending else { return try connection.answer(call, .tooMany) }
        commandCount += 1
        let number = commandCount
        pending[number] = call
        ask { [inbox] in inbox.post(.answered(number, $0)) }
    }

    private func answered(_ number: UInt64, _ result: Result<PlayerSnapshot, PlaybackError>) {
        guard let call = pending.removeValue(forKey: number), case .connected(let connection) = state else { return }
        tell()
        attempt { () throws(BusFailure) in
            switch result {
            case .success: try connection.answer(call, [])
            case .failure(let error): try connection.answer(call, BusError(error))
            }
        }
    }

    // MARK: Waiting

    private func wait() {
        var deadlines: [MonotonicTime] = []
        var descriptors = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
        switch state {
        case .connected(let connection):
            attempt { () throws(BusFailure) in
                descriptors.append(pollfd(fd: connection.descriptor, events: try connection.events(), revents: 0))
            }
            if lost != nil { return }
            deadlines = [connection.deadline, object.deadline].compactMap { $0 }
        case .waiting(let until): deadlines = [until]
        case .off, .impossible: break
        }
        let timeout =
            deadlines.min().map { Int32(clamping: max(0, min(60_000, $0.seconds(since: .now) * 1000 + 1))) } ?? -1
        _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
    }
}
