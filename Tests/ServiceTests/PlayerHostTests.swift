// SPDX-License-Identifier: Apache-2.0

import Kernel
import KernelTesting
import Playback
import PlaybackTesting
import Synchronization
import Testing

@testable import Service

/// Real players with scripted media and outputs.
@Suite struct PlayerHostTests {
    let rig: HostRig

    init() throws { rig = try HostRig(["kitchen", "bath"]) }

    @Test func main_isBuiltObservedAndEndedLikeTheOthers() throws {
        #expect(rig.events.changes == ["admitted main", "admitted bath", "admitted kitchen"])
        _ = try rig.host.add(PlayerDraft(id: "attic"))
        try rig.host.remove("attic")
        #expect(
            rig.events.changes.suffix(4) == ["admitted attic", "added attic", "dismissed attic", "removed attic"])
        #expect { try rig.host.remove("main") } throws: { ($0 as? Problem)?.code == "main-player" }
        #expect { _ = try rig.host.add(PlayerDraft(id: "main")) } throws: { ($0 as? Problem)?.code == "player-exists" }
        for id in ["main", "kitchen"] {
            _ = rig.apply(to: id) { $0.volume = 0.5 }
            #expect(rig.events.all.contains { $0.player == id && $0.isSettings })
        }
        let members = rig.host.beginEnd()
        for player in members { player.shutdown() }
        #expect(rig.keeper.closed == ["attic", "main", "kitchen", "bath"])
        #expect(throws: Problem.self) { _ = try rig.host.add(PlayerDraft()) }
    }

    @Test func aNewPlayer_knowsTheOutputs_beforeTheSoundServerResponds() throws {
        let device = OutputDevice(id: "speakers", description: "Speakers", isDefault: true)
        let output = try #require(rig.outputs["main"])
        // Repeated until the player's thread listens.
        #expect(
            eventually {
                output.send(.devices(OutputDevices(devices: [device], current: device.id)))
                return rig["main"].snapshot.output.devices.devices == [device]
            })
        let began = MonotonicTime.now
        _ = try rig.host.add(PlayerDraft(id: "attic"))
        #expect(MonotonicTime.now.seconds(since: began) < 0.9)
        let devices = rig["attic"].snapshot.output.devices
        #expect(devices.devices == [device] && devices.current == nil)
    }

    @Test func aPlayerWhoseStateCannotBeOpened_leavesNothing() throws {
        rig.keeper.failure.withLock { $0 = SaveFailure("no room", isDiskFull: true) }
        #expect { _ = try rig.host.add(PlayerDraft(id: "attic")) } throws: { ($0 as? Problem)?.code == "disk-full" }
        #expect(!rig.host.hasPlayer("attic") && rig.keeper.players() == ["bath", "kitchen"])
        rig.keeper.stays.withLock { $0 = true }
        #expect { _ = try rig.host.add(PlayerDraft(id: "attic")) } throws: { ($0 as? Problem)?.code == "disk-full" }
    }

    @Test func everyPlayer_canFollowEveryOther() throws {
        for leader in ["main", "kitchen", "bath"] {
            for follower in ["main", "kitchen", "bath"] where follower != leader {
                #expect(rig.follow(follower, leader)?.settings.leader == leader)
                #expect(rig.follow(follower, nil)?.settings.leader == nil)
            }
        }
        #expect(rig.follow("kitchen", "kitchen") == nil && rig.lastError?.member == "leader")
        #expect(rig.follow("kitchen", "nobody") == nil)
    }

    /// A change that is queued while another one ends is performed exactly once.
    @Test func changesOfGroups_arePerformedOneAfterAnother() async {
        for _ in 0..<200 {
            let groups = PlayerGroups { _, _ in }
            let done = Mailbox<Void>()
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<50 { groups.handOverGroup(of: "nobody") { _ in done.post(()) } } }
                }
            }
            #expect(done.take(until: .now).count == 200)
        }
    }

    @Test func aFollowersQueue_isItsLeaders() throws {
        _ = rig.follow("kitchen", "main")
        let added = rig.perform(.edit(.insert(rig.items(3), at: .end), expected: nil, play: false), on: "kitchen")
        let snapshot = try #require(added)
        #expect(snapshot.queueLength == 3 && snapshot.insertedItems?.count == 3 && snapshot.settings.leader == "main")
        #expect(rig["main"].snapshot.queueLength == 3)
        let window = rig["kitchen"].queueWindow(offset: 0, limit: 10)
        #expect(window.items.map(\.id) == rig["main"].player.queueWindow(offset: 0, limit: 10).items.map(\.id))
        #expect(rig["kitchen"].queueItem(window.items[2].id)?.index == 2)
        let wrong = PlayerCommand.edit(.clear, expected: window.revision + 1, play: false)
        #expect(rig.perform(wrong, on: "kitchen") == nil && rig.lastError?.code == .revisionMismatch)
        // The follower has the event too, with the revision of the queue that it shows.
        #expect(rig.events.all.contains { $0.player == "kitchen" && $0.revision == window.revision })
        #expect(!rig.events.all.contains { $0.player == "kitchen" && ($0.revision ?? 0) > window.revision })
        // Alone, it has its own queue.
        let alone = try #require(rig.follow("kitchen", nil))
        #expect(alone.queueLength == rig["kitchen"].player.snapshot.queueLength)
    }

    @Test func aFollower_hasItsLeadersOrder_andItsOwnVolume() throws {
        _ = rig.follow("kitchen", "main")
        let after = try #require(rig.apply(to: "kitchen") { ($0.volume, $0.repeats, $0.muted) = (0.25, .all, true) })
        #expect(after.settings.repeats == .all && after.settings.volume == 0.25 && after.settings.muted)
        let main = rig["main"].snapshot.settings
        #expect(main.repeats == .all && main.volume == 1 && !main.muted)
        #expect(rig["kitchen"].player.snapshot.settings.repeats == .off)
    }

    @Test func transportOfAFollower_controlsTheLeader() throws {
        _ = rig.follow("main", "kitchen")
        _ = rig.perform(.edit(.insert(rig.items(3), at: .end), expected: nil, play: false), on: "main")
        _ = rig.perform(.next, on: "main")
        #expect(rig["kitchen"].snapshot.item?.index == 1)
        rig["main"].perform(.play(.index(2), position: nil)) { _ in }
        #expect(eventually { rig["kitchen"].snapshot.playWhenReady })
        #expect(rig["kitchen"].snapshot.item?.index == 2)
    }

    @Test func aSwapOfLeaders_keepsTheQueueAndItsOrder() throws {
        _ = rig.perform(.edit(.replace(rig.items(4), startIndex: 2), expected: nil, play: false), on: "main")
        _ = rig.apply(to: "main") { $0.repeats = .all }
        _ = rig.follow("kitchen", "main")
        _ = rig.follow("bath", "main")
        let after = try #require(rig.follow("main", "kitchen"))
        #expect(after.settings.leader == "kitchen" && rig["bath"].snapshot.settings.leader == "kitchen")
        let head = rig["kitchen"].snapshot
        #expect(head.settings.leader == nil && head.settings.repeats == .all && head.item?.index == 2)
        let uris = rig["kitchen"].player.queueWindow(offset: 0, limit: 10).items.map(\.uri)
        #expect(uris == rig.items(4).map(\.uri))
        #expect(rig["main"].queueWindow(offset: 0, limit: 10).items.map(\.uri) == uris)
    }

    @Test func theSleepTimerOfAGroup_stays_whenItsLeaderIsRemoved() throws {
        _ = try #require(rig.follow("bath", "kitchen"))
        let answer = Mailbox<Result<PlayerTimer?, Problem>>()
        let sleep = TimerEdit.add(.sleep(SleepTimer(end: .after(600), fade: 0)))
        rig.timers.perform(sleep, of: "kitchen") { answer.post($0) }
        let timer = try #require(try answer.answer().get())
        try rig.host.remove("kitchen")
        #expect(eventually { rig.timers.timers(of: "bath").map(\.kind) == [timer.kind] })
        #expect(eventually { rig.timers.timers(of: "kitchen").isEmpty })
    }

    @Test func timersOnAHangingDisk_areRefusedInTime_andOverwritten() throws {
        let (disk, texts) = (ScriptedDisk(), Mailbox<String>())
        let rig = try HostRig([], on: disk)
        disk.answers { save in
            guard case .note("timers", let text)? = save.changes.first else { return .kept }
            texts.post(text)
            return .hangs
        }
        let answer = Mailbox<Result<PlayerTimer?, Problem>>()
        // The second one waits for the first, and no longer.
        for seconds in [600.0, 700] {
            rig.timers.perform(.add(.sleep(SleepTimer(end: .after(seconds), fade: 0))), of: "main") { answer.post($0) }
        }
        #expect(texts.answer().contains("600"))
        rig.clock.advance(seconds: 3)
        for answer in answer.take(2) {
            #expect { try answer.get() } throws: { ($0 as? Problem)?.code == "not-saved" }
        }
        #expect(!texts.answer().contains("600"))
        #expect(rig.timers.timers(of: "main").isEmpty)
    }

    @Test func leavingAGroup_isOneEditOfTheQueue() throws {
        _ = rig.perform(.edit(.replace(rig.items(4), startIndex: 2), expected: nil, play: false), on: "main")
        _ = rig.follow("kitchen", "main")
        let before = rig["kitchen"].player.snapshot.queueRevision
        let after = try #require(rig.follow("kitchen", nil))
        #expect(after.queueRevision == before + 1 && after.item?.index == 2)
        #expect(rig["kitchen"].queueWindow(offset: 0, limit: 10).items.map(\.uri) == rig.items(4).map(\.uri))
    }

    @Test func changesOfGroups_areAnsweredWithTheNewState() throws {
        _ = rig.perform(.edit(.replace(rig.items(3), startIndex: 2), expected: nil, play: false), on: "main")
        _ = rig.perform(.edit(.replace(rig.items(2), startIndex: 1), expected: nil, play: false), on: "kitchen")
        let follower = try #require(rig.follow("kitchen", "main"))
        let head = rig["main"].snapshot
        #expect(
            follower.item?.item.id == head.item?.item.id && follower.item?.item.uri == "2" && follower.item?.index == 2)
        #expect(rig["kitchen"].player.snapshot.item?.item.leaders == head.item?.item.id)
        let swapped = try #require(rig.follow("main", "kitchen"))
        let heir = rig["kitchen"].snapshot
        #expect(swapped.item?.item.id == heir.item?.item.id && swapped.item?.index == 2)
        #expect(swapped.queueRevision == heir.queueRevision)
        // A leader without a queue has no item, whatever its follower had.
        #expect(try #require(rig.follow("kitchen", "bath")).item == nil)
    }

    @Test func aGroupsLevel_changesByOneStep() throws {
        _ = rig.follow("kitchen", "main")
        for (id, level) in [("main", 0.9), ("kitchen", 0.5), ("bath", 0.3)] {
            _ = rig.apply(to: id) { $0.level = level }
        }
        let after = try #require(rig.apply(to: "kitchen") { $0.groupLevelBy = 0.3 })
        #expect(abs(after.settings.level - 0.6) < 1e-6)
        #expect(abs(rig["main"].snapshot.settings.level - 1) < 1e-6)
        #expect(abs(rig["bath"].snapshot.settings.level - 0.3) < 1e-6)
    }

    @Test func concurrentChanges_makeNoCircle() throws {
        let ids = ["main", "kitchen", "bath"]
        let sides = (0..<30).map { round in
            NamedThread("side") { [rig] in _ = rig.follow(ids[round % 3], ids[(round + 1 + round / 3 % 2) % 3]) }
        }
        for side in sides { side.join() }
        let followers = ids.filter { rig[$0].player.snapshot.settings.leader != nil }
        for id in followers {
            let leader = try #require(rig[id].player.snapshot.settings.leader)
            #expect(!followers.contains(leader))
        }
    }
}

/// A host with scripted parts.
final class HostRig: Sendable {
    let host: PlayerHost
    let keeper: MemoryKeeper
    let events = ServerEvents()
    let outputs = ScriptedOutputs()
    let clock = ManualClock()
    let timers: Timers
    private let error = Mutex<PlaybackError?>(nil)

    init(_ ids: [String], on disk: ScriptedDisk? = nil) throws {
        let keeper = MemoryKeeper(ids, on: disk)
        self.keeper = keeper
        timers = Timers(clock: clock)
        let (bus, sessionPlayers) = (EventBus(), SessionPlayers())
        bus.observe { [events, timers] event in
            events.append(event)
            if case .players(let change, let player) = event { timers.receive(change, of: player) }
            if case .player(let event, let id) = event { timers.receive(event, of: id) }
        }
        let session = LiveSession(
            store: MemoryStore(), otherStreams: nil, interruptsOthers: false, notes: [:], players: sessionPlayers)
        let script = ScriptedOpener.Script(frames: 441_000)
        let uris = (0..<4).map { "\($0)" } + [AlarmTone.uri]
        let opener = ScriptedOpener(Dictionary(uniqueKeysWithValues: uris.map { ($0, script) }))
        var parts = PlayerHost.Parts(
            environment: { [outputs, clock] id, store in
                Player.Environment(
                    opener: opener, output: outputs.make(id, clock), conversion: NoConversion(),
                    stretching: NoStretching(), store: store, clock: clock)
            },
            announcer: { _, _ in nil }, keeper: keeper, session: session, sessionPlayers: sessionPlayers, bus: bus)
        parts.handOver = { [timers] in timers.handOver($0, to: $1) }
        host = try PlayerHost(parts)
        host.restore()
    }

    deinit {
        timers.shutdown()
        for player in host.beginEnd() { player.shutdown() }
    }

    var lastError: PlaybackError? { error.withLock { $0 } }

    subscript(id: String) -> HostedPlayer {
        guard let player = events.players[id] else { preconditionFailure("no player \(id)") }
        return player
    }

    func items(_ count: Int) -> [ItemDraft] { (0..<count).map { ItemDraft(uri: "\($0)") } }

    /// nil if it is refused; `lastError` is the reason.
    func perform(_ command: PlayerCommand, on id: String) -> PlayerSnapshot? {
        let answer = Mailbox<Result<PlayerSnapshot, PlaybackError>>()
        self[id].perform(command) { answer.post($0) }
        switch answer.answer() {
        case .success(let snapshot): return snapshot
        case .failure(let failure):
            error.withLock { $0 = failure }
            return nil
        }
    }

    func apply(to id: String, _ change: (inout SettingsPatch) -> Void) -> PlayerSnapshot? {
        var patch = SettingsPatch()
        change(&patch)
        return perform(.apply(patch), on: id)
    }

    func follow(_ id: String, _ leader: String?) -> PlayerSnapshot? { apply(to: id) { $0.leader = .some(leader) } }
}

final class MemoryKeeper: PlayerKeeper {
    private let ids: Mutex<[String]>
    private let ended = Mutex<Set<String>>([])
    /// Why no state can be opened; nil: it can.
    let failure = Mutex<SaveFailure?>(nil)
    /// No player can be removed.
    let stays = Mutex(false)

    private let disk: ScriptedDisk?

    init(_ ids: [String], on disk: ScriptedDisk? = nil) {
        self.ids = Mutex(ids)
        self.disk = disk
    }

    var closed: Set<String> { ended.withLock { $0 } }

    func players() -> [String] { ids.withLock { $0.sorted() } }

    func create(_ id: String, name: String, output: String?) throws(SaveFailure) {
        ids.withLock { $0.append(id) }
    }

    func open(_ id: String) throws(SaveFailure) -> PlayerState {
        if let failure = failure.withLock({ $0 }) { throw failure }
        return PlayerState(disk?.store(id) ?? MemoryStore(), notes: disk?.notes(id) ?? [:]) { [self] in
            _ = ended.withLock { $0.insert(id) }
            return true
        }
    }

    func remove(_ id: String) throws(SaveFailure) -> @Sendable () -> Void {
        if stays.withLock({ $0 }) { throw SaveFailure("read-only") }
        ids.withLock { $0.removeAll { $0 == id } }
        return {}
    }
}

/// The players' outputs, by their ids.
final class ScriptedOutputs: Sendable {
    private let all = Mutex<[String: CapturingOutput]>([:])

    func make(_ id: String, _ clock: ManualClock) -> CapturingOutput {
        let output = CapturingOutput(clock: clock)
        all.withLock { $0[id] = output }
        return output
    }

    subscript(id: String) -> CapturingOutput? { all.withLock { $0[id] } }
}

final class ServerEvents: Sendable {
    struct Entry {
        var player: String
        var isSettings = false
        var revision: QueueRevision?
    }

    private struct State {
        var all: [Entry] = []
        var changes: [String] = []
        var players: [String: HostedPlayer] = [:]
    }

    private let state = Mutex(State())

    var all: [Entry] { state.withLock { $0.all } }
    var changes: [String] { state.withLock { $0.changes } }
    var players: [String: HostedPlayer] { state.withLock { $0.players } }

    func append(_ event: ServerEvent) {
        state.withLock { state in
            switch event {
            case .player(let event, let id):
                var entry = Entry(player: id)
                if case .settings = event.kind { entry.isSettings = true }
                if case .queue(let revision, _, _, _, _) = event.kind { entry.revision = revision }
                state.all.append(entry)
            case .players(let change, let player):
                state.changes.append("\(change) \(player.id)")
                state.players[player.id] = player
            default: break
            }
        }
    }
}
