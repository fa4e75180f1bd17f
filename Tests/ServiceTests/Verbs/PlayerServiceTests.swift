// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import ServiceTesting
import Testing

@testable import Service

/// The verbs of a player, without a remote interface.
@Suite struct PlayerServiceTests {
    private let player = ScriptedPlayer(items: 3)

    private func service(_ change: (inout ServerService.Parts) -> Void = { _ in }) -> PlayerService {
        var parts = ServerService.Parts(media: ScriptedMediaAccess())
        change(&parts)
        return PlayerService("main", player, server: ServerService(parts))
    }

    /// Waits for the reply, at most 5 s.
    private func result<Value: Sendable>(_ verb: (@escaping ServiceReply<Value>) -> Void) throws -> Result<
        Value, Problem
    > {
        let replies = Mailbox<Result<Value, Problem>>()
        verb { replies.post($0) }
        return try #require(replies.take(until: .now.advanced(bySeconds: 5)).first, "no reply within 5 s")
    }

    private func refusal<Value: Sendable>(_ verb: (@escaping ServiceReply<Value>) -> Void) throws -> Problem? {
        if case .failure(let problem) = try result(verb) { problem } else { nil }
    }

    private func edits() -> [(edit: QueueEdit, expected: QueueRevision?, play: Bool)] {
        player.commands.compactMap {
            if case .edit(let edit, let expected, let play) = $0 { (edit, expected, play) } else { nil }
        }
    }

    @Test func addedFolder_reachesThePlayer_asItsItems() throws {
        let addition = Addition([.folder("f"), .uri("a.mp3")], .insert(.next), plays: true, expected: 7)
        let added = try result { service().add(addition, for: .local, reply: $0) }.get()
        #expect(added.found.items.count == 4)
        guard case (.insert(let drafts, at: .next), 7, true)? = edits().first else {
            return #expect(Bool(false), "\(player.commands)")
        }
        #expect(drafts.map(\.uri) == ["f/0.mp3", "f/1.mp3", "f/2.mp3", "a.mp3"])
    }

    /// A hanging mount does not delay adding a file that is in the kernel's caches.
    @Test func fileAtHand_doesNotWaitForOthers() throws {
        let disk = HangingMediaAccess()
        let service = service { $0.media = disk }
        for _ in 0..<8 { service.add(Addition([.uri("far.mp3")]), for: .local) { _ in } }
        defer { disk.gate.post(()) }
        let replies = Mailbox<Int?>()
        func add(_ items: [ItemRequest], _ rules: AddingRules = AddingRules()) {
            service.add(Addition(items, rules: rules), for: .local) { result in
                if case .success(let added) = result { replies.post(added.found.items.count) }
            }
        }
        add([.uri("near.mp3"), .media(ItemDraft(uri: "near.mp3", title: "A title"), expands: nil)])
        // On the calling thread.
        #expect(replies.take() == [2])
        add([.uri("near.mp3"), .uri("far.mp3")])
        add([.folder("near.mp3")])
        add([.uri("near.mp3")], AddingRules(checks: true))
        add(Array(repeating: .uri("near.mp3"), count: ItemResolver.mostAtHand + 1))
        #expect(replies.take() == [])
    }

    @Test func positionAfterTheEnd_isRefused_beforeAnyLookUp() throws {
        let addition = Addition([.folder("none")], .insert(.index(4)))
        let problem = try refusal { service().add(addition, for: .local, reply: $0) }
        #expect(problem?.code == "out-of-range" && problem?.member == "position")
    }

    @Test func queueStays_whenNoNewItemCanBePlayed() throws {
        var rules = AddingRules()
        rules.skipsFaults = true
        let gone = Addition([.folder("none")], .replace(current: nil), rules: rules)
        #expect(try refusal { service().add(gone, for: .local, reply: $0) }?.code == "media-not-found")
        for addition in [Addition([.uri("a.mp3")], .replace(current: 1)), Addition([], .replace(current: 0))] {
            #expect(try refusal { service().add(addition, for: .local, reply: $0) }?.member == "index")
        }
        #expect(player.commands.isEmpty)
    }

    @Test func playlist_replacesTheQueue_unlessItIsEmpty() throws {
        let service = service { $0.playlists = ScriptedPlaylists() }
        #expect(try refusal { service.play(PlaylistID(number: 1), from: nil, reply: $0) }?.code == "playlist-empty")
        #expect(try refusal { service.play(PlaylistID(number: 2), from: 2, reply: $0) }?.member == "index")
        #expect(try refusal { service.play(PlaylistID(number: 9), from: nil, reply: $0) }?.code == "unknown-playlist")
        #expect(player.commands.isEmpty)
        _ = try result { service.play(PlaylistID(number: 2), from: 1, reply: $0) }.get()
        guard case (.replace(let drafts, startIndex: 1), nil, true)? = edits().first else {
            return #expect(Bool(false), "\(player.commands)")
        }
        #expect(drafts.map(\.uri) == ["0.mp3", "1.mp3"])
    }

    @Test func playlist_isMadeOfTheQueue_andItsRevisionIsChecked() throws {
        let server = service { $0.playlists = ScriptedPlaylists() }.server
        let made = try result { server.createPlaylist("n", .queue(player), for: .local, reply: $0) }.get()
        #expect(made.list.length == 3)
        let stale = try refusal {
            server.changePlaylist(made.list.id, name: "m", content: nil, expected: [1], for: .local, reply: $0)
        }
        #expect(stale?.kind == .stale && stale?.revision == 5)
    }

    @Test func playlist_acceptsTheSameItemsAsAQueue() throws {
        let server = service { $0.playlists = ScriptedPlaylists() }.server
        let items: [ItemRequest] = [.uri("a.mp3"), .uri("missing.mp3")]
        let refused = try refusal {
            server.createPlaylist("n", .items(items, AddingRules()), for: .local, reply: $0)
        }
        #expect(refused?.code == "media-not-found" && refused?.member == "items[1].uri")
        let rules = AddingRules(skipsFaults: true)
        let made = try result { server.createPlaylist("n", .items(items, rules), for: .local, reply: $0) }.get()
        #expect(made.list.length == 1 && made.found.skipped.count == 1)
        let nothing = try refusal {
            server.createPlaylist("n", .items([items[1]], rules), for: .local, reply: $0)
        }
        #expect(nothing?.code == "media-not-found")
    }

    @Test func missingParts_areNamed() throws {
        let service = service()
        #expect(try refusal { service.server.playlists(reply: $0) }?.code == "no-playlists")
        #expect(
            try refusal { service.server.askLibrary(reply: $0) { library in library.status } }?.code == "no-library")
        #expect(try refusal { service.server.clearCache(reply: $0) }?.code == "no-cache")
        #expect(try refusal { service.server.stopRecording(reply: $0) }?.code == "recording-disabled")
        #expect(try refusal { service.stopSavingStream(reply: $0) }?.code == "recording-disabled")
        #expect(try refusal { service.server.changeSession(SessionRequest(), reply: $0) }?.code == "no-session")
        #expect(
            try refusal { service.play(SoundOrder(.address("a.mp3")), for: .local, reply: $0) }?.code
                == "no-announcer")
    }

    @Test func alarmTone_isRefusedToClients() throws {
        var chimed = SoundOrder(.address("a.mp3"))
        chimed.chime = AlarmTone.uri
        for (order, member) in [(SoundOrder(.address(AlarmTone.uri)), "uri"), (chimed, "chime")] {
            let problem = try refusal { service().play(order, for: .local, reply: $0) }
            #expect(problem?.kind == .unknown)
            #expect(problem?.member == member)
        }
    }

    @Test func faultOfASound_namesTheMedia() throws {
        let rig = AnnouncerRig()
        defer { rig.announcer.shutdown() }
        let service = PlayerService("main", player, announcer: rig.announcer, server: service().server)
        var chimed = SoundOrder(.parts(["a.mp3", "b.mp3"]))
        chimed.chime = "c.mp3"
        for (order, part, member) in [
            (SoundOrder(.address("a.mp3")), nil, "uri"), (SoundOrder(.parts(["a.mp3"])), nil, "parts[0]"),
            (SoundOrder(.parts(["a.mp3", "b.mp3"])), 1, "parts[1]"), (chimed, 0, "chime"), (chimed, 2, "parts[1]"),
            (chimed, nil, "parts"),
        ] as [(SoundOrder, Int?, String)] {
            let replies = Mailbox<Result<SoundEffect, Problem>>()
            service.play(order, for: .local) { replies.post($0) }
            let (voice, id) = try rig.nextPlay()
            var error = PlaybackError(.notFound, "There is none.")
            error.part = part
            voice.report(id, .failed(error))
            let answer = try #require(replies.take(until: rig.patience).first)
            guard case .failure(let problem) = answer else { return #expect(Bool(false), "\(answer)") }
            #expect(problem.member == member)
        }
    }

    @Test func jobOfADisconnectedCaller_doesNotBegin() throws {
        let caller = Caller { true }
        #expect(try refusal { service().server.browse("f", for: caller, reply: $0) }?.code == "client-gone")
        #expect(try result { service().server.browse("f", for: .local, reply: $0) }.get().entries.count == 3)
    }

    @Test func pictureOfAnItem_comesFromItsTags() throws {
        let service = service()
        let picture = try result { service.artwork(of: ItemID(number: 1), for: .local, reply: $0) }.get()
        #expect(picture == ScriptedMediaAccess.picture.bytes)
        #expect(try refusal { service.artwork(of: ItemID(number: 9), for: .local, reply: $0) }?.code == "unknown-item")
    }
}
