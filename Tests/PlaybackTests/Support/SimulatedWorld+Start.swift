// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Playback

extension SimulatedWorld {
    /// With these items in the queue.
    static func with(_ uris: [String], play: Bool) -> SimulatedWorld {
        var world = SimulatedWorld()
        world.add(uris, play: play)
        return world
    }

    /// Plays the first of these items.
    static func playing(_ uris: [String]) -> SimulatedWorld {
        var world = with(uris, play: true)
        #expect(world.run { $0.status == .playing })
        return world
    }

    // MARK: Commands

    @discardableResult
    mutating func add(_ uris: [String], at point: InsertionPoint = .end, play: Bool = false) -> CommandToken {
        command(.edit(.insert(uris.map { ItemDraft(uri: $0) }, at: point), play: play))
    }

    mutating func interrupt(_ source: InterruptionSource = .client) {
        command(.interruption(InterruptionNotice(isBeginning: true, source: source)))
    }

    mutating func endInterruption(_ source: InterruptionSource = .client, shouldResume: Bool = true) {
        command(.interruption(InterruptionNotice(isBeginning: false, source: source, shouldResume: shouldResume)))
    }

    mutating func applyRules(_ set: (inout SessionRules) -> Void) {
        var rules = SessionRules()
        set(&rules)
        command(.applyRules(rules))
    }

    /// Reports an event of the open stream.
    mutating func report(_ event: (Generation) -> AudioOutputEvent) {
        #expect(sink.generation != nil)
        if let generation = sink.generation { send(.output(event(generation))) }
    }

    mutating func report(_ devices: [OutputDevice], current: String?, isChosen: Bool = false) {
        send(.output(.devices(OutputDevices(devices: devices, current: current, isChosen: isChosen))))
    }

    // MARK: Results

    /// Of a command that has failed.
    func failure(_ token: CommandToken) -> PlaybackError? {
        if case .failed(let error)? = replies[token] { error } else { nil }
    }

    var completions: [CompletionReason] {
        events.compactMap { if case .completed(_, let reason) = $0 { reason } else { nil } }
    }

    func statuses(since event: Int = 0) -> [PlayerStatus] {
        events[event...].compactMap { if case .status(let status, _, _, _, _, _, _) = $0 { status } else { nil } }
    }

    /// The settings of the last event that reported them.
    var reportedSettings: PlayerSettings? {
        events.compactMap { if case .settings(let settings) = $0 { settings } else { nil } }.last
    }

    var savedSettings: PlayerSettings? {
        saved.compactMap { if case .settings(let settings) = $0 { settings } else { nil } }.last
    }
}
