// SPDX-License-Identifier: Apache-2.0

@testable import Desktop
import Audio
import Kernel
import Playback
import Service
import ServiceTesting
import Synchronization

/// With a manual clock.
extension ScriptedPlayer {
    var items: [QueueItem] { state.withLock { $0.items } }
    var now: MonotonicTime { state.withLock { $0.now } }

    func advance(_ seconds: Double) { state.withLock { $0.now = $0.now.advanced(bySeconds: seconds) } }

    var verbs: PlayerService {
        PlayerService("main", self, server: ServerService(ServerService.Parts(media: ScriptedMediaAccess())))
    }

    /// Plays the item at `index` from `position`.
    func play(_ index: Int = 0, at position: Double = 0) {
        let (item, now) = state.withLock { ($0.items[index], $0.now) }
        change { snapshot in
            snapshot.status = .playing
            snapshot.playWhenReady = true
            var current = CurrentItem(item: item, index: index)
            current.media = MediaDescription(format: .init(sampleRate: 44_100, layout: .stereo), duration: 441_000)
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

/// The object with a scripted player.
struct ObjectHarness {
    let player: ScriptedPlayer
    let object: MediaPlayerObject

    init(_ player: ScriptedPlayer = ScriptedPlayer(items: 3)) {
        self.player = player
        object = MediaPlayerObject(player: player.verbs) { player.now }
    }

    /// Plays an item and discards the signals.
    func play(_ index: Int = 0) {
        player.play(index)
        _ = signals()
    }

    func get(_ property: String, _ interface: String = InterfaceName.player) -> BusValue? {
        let answer = object.answer(InterfaceName.properties, "Get", [.text(interface), .text(property)])
        guard case .values(let values) = answer, case .variant(let value)? = values.first else { return nil }
        return value
    }

    func set(_ property: String, _ value: BusValue) -> Answer {
        object.answer(InterfaceName.properties, "Set", [.text(InterfaceName.player), .text(property), value])
    }

    func command(_ member: String, _ arguments: BusValue...) -> PlayerCommand? {
        guard case .command(let command) = object.answer(InterfaceName.player, member, arguments) else { return nil }
        return command
    }

    /// The names of the signals, with those of the changed properties.
    func signals() -> [String] {
        object.refresh().map { signal in
            guard signal.member == "PropertiesChanged", case .dictionary(let values) = signal.body[1] else {
                return signal.member
            }
            return "PropertiesChanged(\(values.keys.sorted().joined(separator: " ")))"
        }
    }
}
