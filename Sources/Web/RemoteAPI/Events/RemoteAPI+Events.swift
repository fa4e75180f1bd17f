// SPDX-License-Identifier: Apache-2.0

public import Service

/// The observer of the event bus: encodes each event once and passes it to the channels concerned.
extension RemoteAPI {
    public func observe(_ event: ServerEvent) {
        switch event {
        case .player(let event, let id): players.channel(of: id).map { receive(event, of: $0) }
        case .players(.admitted, let player): admit(player.id, player, announcer: player.announcer)
        case .players(.added, let player): announce(player.id)
        case .players(.dismissed, let player): dismiss(player.id)
        case .players(.removed, let player): conclude(player.id)
        case .announcement(let change, let id):
            players.channel(of: id)?.hub.report(.announcement) { $0.members(of: change) }
        case .stream(_, let id): players.channel(of: id).map(reportRecording)
        case .recorder(.status): for player in players.all { reportRecording(player) }
        case .recorder(.levels(let id, let levels)):
            setState(.recordLevel) { writer in
                writer.member("id", id)
                writer.member("channels", objects: levels) { writer, level in
                    writer.member("average", level.average)
                    writer.member("peak", level.peak)
                    writer.member("averageNormalized", ChannelLevel.normalized(level.average))
                    writer.member("peakNormalized", ChannelLevel.normalized(level.peak))
                }
            }
        case .session(let status):
            let data = JSONWriter.object(capacity: 512) { $0.members(of: status) }
            for player in players.all { player.hub.report(.session, encoded: data) }
        case .library(let status): setState(.library) { $0.members(of: status) }
        case .timers(let id):
            guard let player = players.channel(of: id) else { return }
            for player in [player] + player.context.followers.ids.compactMap({ players[$0] }) { reportTimers(player) }
        case .renders(let id):
            guard let renders = main.context.server.parts.renders, let player = players.channel(of: id) else { return }
            player.hub.report(.renders) { $0.members(of: renders.jobs(of: id), player.path) }
        case .cache(let status): setState(.cache) { $0.members(of: status) }
        }
    }

    /// Both recorders in one event. Each is read while the event is numbered, so that no later event contains an older
    /// state.
    private func reportRecording(_ player: PlayerAPI) {
        player.hub.report(.recording) { [verbs = player.context.verbs] writer in
            writer.members(of: verbs.server.recordingStatus)
            writer.member("stream") { $0.members(of: verbs.streamStatus) }
        }
    }

    func reportTimers(_ player: PlayerAPI) {
        let verbs = player.context.verbs
        guard let timers = verbs.server.parts.timers else { return }
        player.hub.report(.timers) { $0.members(of: verbs.timers(in: timers)) }
    }

    /// A state of the server, encoded once for all channels.
    private func setState(_ name: EventName, _ data: (inout JSONWriter) -> Void) {
        let hubs = players.all.map(\.hub).filter { $0.subscriberCount > 0 }
        guard !hubs.isEmpty else { return }
        let data = JSONWriter.object(capacity: 512, data)
        for hub in hubs { hub.setState(name, data) }
    }
}
