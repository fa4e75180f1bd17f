// SPDX-License-Identifier: Apache-2.0

@testable import Desktop
import Audio
import Playback
import Service
import struct ServiceTesting.ScriptedCatalogue
import Synchronization
import Kernel

/// A player whose state a test sets, with a clock that moves by hand.
final class ScriptedPlayer: PlayerControl {
    private struct State {
        var snapshot = PlayerSnapshot()
        var items: [QueueItem] = []
        var commands: [PlayerCommand] = []
        var now = MonotonicTime(nanoseconds: 1_000_000_000)
    }

    private let state = Mutex(State())

    init(items: Int = 3) {
        state.withLock { state in
            state.items = (1...max(1, items)).prefix(items).map { number in
                QueueItem(id: ItemID(number: UInt64(number)), draft: ItemDraft(uri: "a/song \(number).mp3"))
            }
            state.snapshot.queueLength = items
            state.snapshot.queueRevision = 1
        }
    }

    var snapshot: PlayerSnapshot { state.withLock { $0.snapshot } }
    var commands: [PlayerCommand] { state.withLock { $0.commands } }
    var now: MonotonicTime { state.withLock { $0.now } }
    var items: [QueueItem] { state.withLock { $0.items } }

    func perform(
        _ command: PlayerCommand, reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        reply(.success(snapshot))
    }

    func ping(_ answer: @escaping @Sendable () -> Void) -> Bool {
        answer()
        return true
    }

    func queueWindow(offset: Int, limit: Int) -> QueueWindow {
        state.withLock { state in
            QueueWindow(
                revision: state.snapshot.queueRevision, length: state.items.count, currentIndex: nil, offset: offset,
                items: Array(state.items.dropFirst(offset).prefix(limit)))
        }
    }

    func queueItem(_ id: ItemID) -> (item: QueueItem, index: Int, revision: QueueRevision)? {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.id == id }) else { return nil }
            return (state.items[index], index, state.snapshot.queueRevision)
        }
    }

    var verbs: PlayerService {
        PlayerService("main", self, server: ServerService(ServerService.Parts(media: ScriptedCatalogue())))
    }

    // MARK: Script

    func change(_ body: (inout PlayerSnapshot) -> Void) {
        state.withLock { state in
            state.snapshot.version += 1
            body(&state.snapshot)
        }
    }

    func advance(_ seconds: Double) { state.withLock { $0.now = $0.now.advanced(bySeconds: seconds) } }

    /// The item at `index` is heard from `position` on.
    func play(_ index: Int = 0, at position: Double = 0, tags: MediaDescription.Tags = .init()) {
        let (item, now) = (items[index], now)
        change { snapshot in
            snapshot.status = .playing
            snapshot.playWhenReady = true
            var current = CurrentItem(item: item, index: index)
            var media = MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: 441_000)
            media.tags = tags
            current.media = media
            current.duration = 10
            snapshot.item = current
            snapshot.clock = Self.clock(position, rate: 1, now)
        }
    }

    func stand(_ status: PlayerStatus, at position: Double, wantsSound: Bool = true) {
        let now = now
        change { snapshot in
            snapshot.status = status
            snapshot.playWhenReady = wantsSound
            snapshot.clock = Self.clock(position, rate: 0, now)
        }
    }

    static func clock(_ position: Double, rate: Double, _ now: MonotonicTime) -> PositionClock {
        var clock = PositionClock()
        clock.position = position
        clock.rate = rate
        clock.sampledAt = now
        clock.duration = 10
        return clock
    }
}

/// What the object does about the player, for a test to read.
struct ObjectHarness {
    let player: ScriptedPlayer
    let object: MediaPlayerObject

    init(_ player: ScriptedPlayer = ScriptedPlayer()) {
        self.player = player
        object = MediaPlayerObject(player: player.verbs) { player.now }
    }

    func get(_ property: String, _ interface: String = InterfaceName.player) -> BusValue? {
        guard
            case .variant(let value) = object.answer(
                InterfaceName.properties, "Get", [.text(interface), .text(property)])
        else { return nil }
        return value
    }

    func command(_ member: String, _ arguments: BusValue...) -> PlayerCommand? {
        guard case .command(let command) = object.answer(InterfaceName.player, member, arguments) else { return nil }
        return command
    }

    /// Names of the signals, with the changed properties' names.
    func signals() -> [String] {
        object.refresh().map { signal in
            guard signal.member == "PropertiesChanged", case .dictionary(let values) = signal.body[1] else {
                return signal.member
            }
            return "PropertiesChanged(\(values.keys.sorted().joined(separator: " ")))"
        }
    }
}
