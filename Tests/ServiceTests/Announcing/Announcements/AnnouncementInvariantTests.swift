// SPDX-License-Identifier: Apache-2.0

import Kernel
import Playback
import Testing

@testable import Service

/// Invariants that hold after any inputs in any order.
@Suite struct AnnouncementInvariantTests {
    @Test(arguments: 0..<60)
    func holds(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var world = AnnouncementWorld()
        var accepted: Set<SoundID> = []
        for step in 0..<300 {
            Self.disturb(&world, &accepted, &random)
            try #require(Self.violation(of: world) == nil, "step \(step)")
        }
        // All voices fall silent, so all announcements end within their deadlines.
        for announcement in world.schedule.announcements { world.report(.silent, announcement.id) }
        world.wait(1e5)
        #expect(world.schedule.isEmpty && world.music == nil && world.voices.isEmpty)
        #expect(world.schedule.nextDeadline == nil && world.faults == [])
        for id in accepted {
            let changes = world.changes.filter { $0.announcement.id == id }
            let ends = changes.indices.filter { if case .ended = changes[$0].kind { true } else { false } }
            #expect(ends == [changes.count - 1])
        }
    }

    private static func violation(of world: AnnouncementWorld) -> String? {
        if let fault = world.faults.first { return fault }
        let all = world.schedule.announcements
        let active = all.filter { $0.state == .loading || $0.state == .playing }
        if world.music != nil, active.isEmpty { return "the music is treated without an announcement" }
        if all.filter({ $0.state == .waiting }).count > AnnouncementSchedule.waitingLimit { return "too many wait" }
        for (line, here) in Dictionary(grouping: all, by: \.request.output) {
            let sounding = here.filter { $0.state == .loading || $0.state == .playing }
            guard sounding.count == 1 else { return "\(sounding.count) are active on \(line ?? "")" }
            let highest = here.map(\.request.priority).max()
            guard sounding[0].request.priority == highest else { return "a lower one goes before a higher one" }
            if here.filter({ $0.state == .setAside }).count > 2 { return "too many are set aside" }
        }
        for announcement in all {
            switch (announcement.state, world.voices[announcement.id]) {
            case (.waiting, nil), (.setAside, .paused), (.loading, .begun), (.playing, .begun): continue
            default: return "\(announcement.state) has the voice \(String(describing: world.voices[announcement.id]))"
            }
        }
        return world.voices.count == all.filter { $0.state != .waiting }.count ? nil : "voices are left over"
    }

    private static func disturb(
        _ world: inout AnnouncementWorld, _ accepted: inout Set<SoundID>, _ random: inout SeededGenerator
    ) {
        let ids = world.schedule.announcements.map(\.id)
        let id = ids.randomElement(using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7:
            let outputs = ["speakers", "kitchen", nil]
            let output = outputs[Int.random(in: 0..<3, using: &random)]
            let music: MusicTreatment =
                Bool.random(using: &random) ? .pause : .duck(decibels: Double.random(in: -80...0, using: &random))
            let priority = AnnouncementPriority.allCases.randomElement(using: &random) ?? .normal
            if let id = world.announce(priority, music: music, output: output, concernsMusic: output != "kitchen") {
                accepted.insert(id)
            }
        case 7..<12: if let id, world.voices[id] != nil { world.report(.heard, id) }
        case 12: if let id, world.voices[id] != nil { world.report(.silent, id) }
        case 13..<16: if let id, world.voices[id] != nil { world.report(.finished, id) }
        case 16: if let id, world.voices[id] != nil { world.report(.failed(PlaybackError(.unreadable, "")), id) }
        case 17: if let id { _ = world.cancel(id) }
        case 18: if Int.random(in: 0..<20, using: &random) == 0 { world.failAll() }
        default: world.wait(Double.random(in: 0...3, using: &random))
        }
    }
}
