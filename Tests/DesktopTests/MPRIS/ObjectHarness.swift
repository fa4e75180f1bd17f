// SPDX-License-Identifier: Apache-2.0

@testable import Desktop
import Audio
import Kernel
import Playback
import Service
import ServiceTesting
import Synchronization

/// With a clock that moves by hand.
extension ScriptedPlayer {
    var items: [QueueItem] { state.withLock { $0.items } }
    var now: MonotonicTime { state.withLock { $0.now } }

    func advance(_ seconds: Double) { state.withLock { $0.now = $0.now.advanced(bySeconds: seconds) } }

    var verbs: PlayerService {
        PlayerService("main", self, server: ServerService(ServerService.Parts(media: ScriptedMediaAccess())))
    }

    /// The item at `index` is heard from `position` on.
    func play(_ index: Int = 0, at position: Double = 0, tags: MediaDescription.Tags = .init()) {
        let (item, now) = state.withLock { ($0.items[index], $0.now) }
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

    init(_ player: ScriptedPlayer = ScriptedPlayer(items: 3)) {
        self.player = player
        object = MediaPlayerObject(player: player.verbs) { player.now }
    }

    func get(_ property: String, _ interface: String = InterfaceName.player) -> BusValue? {
        guard
            case .values(let values) = object.answer(
                InterfaceName.properties, "Get", [.text(interface), .text(property)]),
            case .variant(let value)? = values.first
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
