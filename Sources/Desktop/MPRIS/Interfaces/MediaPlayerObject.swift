// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Service

/// `/org/mpris/MediaPlayer2` as values, without a bus: calls in, answers and signals out. Belongs to one thread.
///
/// Reads return the last emitted state: a read after a signal never returns an older state, and no signal repeats a state that
/// a client has read.
final class MediaPlayerObject {
    /// Shorter waits for loading or seeking are not emitted, as clients would flicker.
    static let shortWait = 0.25

    let player: PlayerService
    private let now: () -> MonotonicTime
    private var emitted: [String: BusValue] = [:]
    private var reportedStatus = ShownStatus.stopped
    private var reportedCanEdit = true
    private var clock = ClientClock()
    private var reportedItem: ItemID?
    private var waitsSince: MonotonicTime?
    private(set) var tracks = TrackWindow()
    private var artwork: (item: ItemID, url: String?)?

    init(player: PlayerService, now: @escaping () -> MonotonicTime) {
        self.player = player
        self.now = now
        _ = refresh()
    }

    /// The time to call `refresh` without a change of the player.
    var deadline: MonotonicTime? { waitsSince?.advanced(bySeconds: Self.shortWait) }

    // MARK: Changes

    /// Takes over the player's newest state and returns the signals to emit, in order.
    func refresh() -> [BusSignal] {
        let snapshot = player.snapshot
        let now = now()
        if artwork?.item != snapshot.item?.item.id { artwork = nil }
        let status = shownStatus(snapshot, now)
        let new = PlayerProperties.of(snapshot, status: status, artwork: artwork?.url)
        let changed = new.filter { emitted[$0.key] != $0.value }
        var signals: [BusSignal] = []
        if !changed.isEmpty { signals.append(.changed(InterfaceName.player, changed)) }
        emitted = new
        reportedStatus = status
        if let position = jump(snapshot, status, now) {
            signals.append(
                BusSignal(interface: InterfaceName.player, member: "Seeked", body: [.int64(position)]))
        }
        let canEdit = CommandOffer(snapshot).control
        if canEdit != reportedCanEdit {
            reportedCanEdit = canEdit
            signals.append(.changed(InterfaceName.trackList, ["CanEditTracks": .flag(canEdit)]))
        }
        if tracks.update(from: player, snapshot) {
            let current = snapshot.item.map { TrackPath.text($0.item.id) } ?? TrackPath.none
            signals.append(
                BusSignal(
                    interface: InterfaceName.trackList, member: "TrackListReplaced",
                    body: [.paths(tracks.paths), .path(current)]))
            signals.append(.changed(InterfaceName.trackList, [:], invalidated: ["Tracks"]))
        }
        return signals
    }

    /// The picture of an item was found. Ignored unless the item is still the current one.
    func setArtwork(_ url: String?, of item: ItemID) {
        guard player.snapshot.item?.item.id == item else { return }
        artwork = (item, url)
    }

    private func shownStatus(_ snapshot: PlayerSnapshot, _ now: MonotonicTime) -> ShownStatus {
        let status = ShownStatus(snapshot)
        let isShort: Bool =
            switch snapshot.status {
            case .loading, .seeking, .buffering, .ready: snapshot.playWhenReady
            default: false
            }
        guard isShort, reportedStatus == .playing, status == .paused else {
            waitsSince = nil
            return status
        }
        let since = waitsSince ?? now
        guard now.seconds(since: since) < Self.shortWait else {
            waitsSince = nil
            return status
        }
        waitsSince = since
        return reportedStatus
    }

    /// The position in microseconds to emit; nil if clients extrapolate the right one.
    private func jump(_ snapshot: PlayerSnapshot, _ status: ShownStatus, _ now: MonotonicTime) -> Int64? {
        let rate = status == .playing ? shownRate : 0
        let position = snapshot.clock.position(at: now)
        let isNew = reportedItem != snapshot.item?.item.id
        reportedItem = snapshot.item?.item.id
        // Clients assume that a new track begins at 0.
        if isNew { clock = ClientClock(position: 0, rate: rate, at: now) }
        clock.setRate(rate, at: now)
        guard snapshot.item != nil, abs(clock.position(at: now) - position) > ClientClock.tolerance else { return nil }
        clock = ClientClock(position: position, rate: rate, at: now)
        return TrackMetadata.microseconds(position)
    }

    private var shownRate: Double { if case .double(let rate)? = emitted["Rate"] { rate } else { 1 } }

    // MARK: Calls

    func answer(_ interface: String, _ member: String, _ arguments: [BusValue]) -> Answer {
        guard let method = Introspection.method(interface, member) else {
            let isKnown = Introspection.methods[interface] != nil
            return .failure(isKnown ? .unknownMethod(interface, member) : .unknownInterface(interface))
        }
        guard arguments.count == method.takes.count else {
            return .failure(.invalid("\(member) takes \(method.takes.count) arguments."))
        }
        return switch interface {
        case InterfaceName.properties: properties(member, arguments)
        case InterfaceName.introspectable: .values([.text(Introspection.document)])
        case InterfaceName.player: playerCall(member, arguments)
        case InterfaceName.trackList: trackListCall(member, arguments)
        // Raise and Quit have no effect, as the root's properties declare.
        default: .nothing
        }
    }

    private func properties(_ member: String, _ arguments: [BusValue]) -> Answer {
        guard case .text(let interface)? = arguments.first else { return .failure(.invalid("An interface is needed.")) }
        guard let all = properties(of: interface) else { return .failure(.unknownInterface(interface)) }
        if member == "GetAll" { return .values([.dictionary(all)]) }
        guard case .text(let name) = arguments[1] else { return .failure(.invalid("A property is needed.")) }
        guard let value = all[name] else { return .failure(.unknownProperty(name)) }
        return member == "Get" ? .values([.variant(value)]) : set(interface, name, arguments[2])
    }

    func properties(of interface: String) -> [String: BusValue]? {
        switch interface {
        case InterfaceName.root: return RootProperties.all
        case InterfaceName.player:
            let now = now()
            let position = player.snapshot.clock.position(at: now)
            return emitted.merging(["Position": .int64(TrackMetadata.microseconds(position))]) { $1 }
        case InterfaceName.trackList:
            return [
                "Tracks": .paths(tracks.paths),
                "CanEditTracks": .flag(CommandOffer(player.snapshot).control),
            ]
        default: return nil
        }
    }
}

/// The position that a client assumes: it extrapolates the last received position at `Rate` while `Playing`. `Seeked` is
/// emitted only if that is wrong.
struct ClientClock {
    /// Tolerated difference in seconds.
    static let tolerance = 0.05

    private(set) var position = 0.0
    private(set) var rate = 0.0
    private(set) var at = MonotonicTime(nanoseconds: 0)

    func position(at time: MonotonicTime) -> Double { position + max(0, time.seconds(since: at)) * rate }

    /// The client receives a new rate (0 unless playing) and continues from the position that it assumes.
    mutating func setRate(_ rate: Double, at time: MonotonicTime) {
        guard rate != self.rate else { return }
        position = position(at: time)
        self.rate = rate
        at = time
    }
}

/// org.mpris.MediaPlayer2. A desktop can neither raise nor quit the server.
enum RootProperties {
    /// The names in freedesktop's shared-mime-info, and older ones.
    private static let mimeTypes = [
        "audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mp2", "audio/flac", "audio/x-flac", "audio/ogg",
        "audio/vorbis", "audio/x-vorbis+ogg", "audio/opus", "audio/x-opus+ogg", "audio/x-flac+ogg", "audio/aac",
        "audio/mp4",
        "audio/x-m4a", "audio/x-m4b", "audio/vnd.wave", "audio/wav", "audio/x-wav", "audio/x-aiff", "audio/x-caf",
        "audio/x-ape", "audio/x-wavpack", "audio/x-tta", "audio/x-ms-wma", "audio/x-ms-asf", "audio/x-matroska",
        "audio/webm", "audio/x-dsf", "audio/x-dff",
    ]

    static let all: [String: BusValue] = [
        "CanQuit": .flag(false), "CanRaise": .flag(false), "HasTrackList": .flag(true),
        "Identity": .text("Tonearm"),
        "SupportedUriSchemes": .texts(["file", "http", "https"]),
        "SupportedMimeTypes": .texts(mimeTypes),
    ]
}
