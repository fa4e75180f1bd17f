// SPDX-License-Identifier: Apache-2.0

public import Playback

/// Timed actions of the player.
extension PlayerService {
    /// In the order of their creation. A follower has its own alarms; sleep timer, start and ringing alarm are its leader's.
    public func timers() throws(Problem) -> [PlayerTimer] { timers(in: try requireTimers()) }

    public func timers(in timers: Timers) -> [PlayerTimer] {
        timers.timers(of: id) + (leader.map { timers.timers(of: $0).filter(\.isListedByFollowers) } ?? [])
    }

    public func timer(_ text: String) throws(Problem) -> PlayerTimer {
        guard let id = TimerID(text), let timer = try timers().first(where: { $0.id == id }) else {
            throw .unknownTimer(text)
        }
        return timer
    }

    /// Replies after saving: with the timer, or nil if it was due at once and has ended.
    public func set(_ kind: PlayerTimer.Kind, for caller: Caller, reply: @escaping ServiceReply<PlayerTimer?>) {
        if case .alarm(let alarm) = kind {
            return set(.add(kind), alarm.items, alarm.fallback, alarm.output, caller, reply)
        }
        ask(reply) { () throws(Problem) in
            (.add(kind), of: leader ?? id)
        }
    }

    public func change(
        _ id: TimerID, _ patch: TimerPatch, for caller: Caller, reply: @escaping ServiceReply<PlayerTimer?>
    ) {
        set(.change(id, patch), patch.items ?? [], patch.fallback ?? nil, patch.output ?? nil, caller, reply)
    }

    public func remove(_ id: TimerID, reply: @escaping ServiceReply<Void>) {
        ask({ reply($0.map { _ in }) }, { () throws(Problem) in (.remove(id), of: try holder(of: id)) })
    }

    /// The alarm is snoozed even if the disk cannot save that. `seconds`: nil takes the alarm's snooze.
    public func snooze(_ id: TimerID, seconds: Double?, reply: @escaping ServiceReply<PlayerTimer?>) {
        ask(reply) { () throws(Problem) in (.snooze(id, seconds: seconds), of: try holder(of: id)) }
    }

    /// `time`: milliseconds since the epoch; nil plays at once.
    public func play(
        _ target: PlayTarget, position: Double?, at time: Int64?, reply: @escaping ServiceReply<PlayerSnapshot>
    ) {
        guard let time else { return perform(.play(target, position: position), reply: reply) }
        attempt(reply) { () throws(Problem) in
            let start = ScheduledStart(item: try itemID(of: target), position: position, at: time)
            ask({ result in reply(result.map { _ in snapshot }) }) { () throws(Problem) in
                (.add(.start(start)), of: leader ?? id)
            }
        }
    }

    /// Replies with the number of prepared seconds, at most the requested number.
    public func prime(_ seconds: Double, reply: @escaping ServiceReply<Double>) {
        perform(.prime(seconds: seconds)) { reply($0.map { min(seconds, $0.statistics.bufferedAhead) }) }
    }

    // MARK: Parts

    private func ask(
        _ reply: @escaping ServiceReply<PlayerTimer?>,
        _ edit: () throws(Problem) -> (edit: TimerEdit, of: String)
    ) {
        attempt(reply) { () throws(Problem) in
            let (edit, holder) = try edit()
            try requireTimers().perform(edit, of: holder, reply: reply)
        }
    }

    private func requireTimers() throws(Problem) -> Timers { try server.parts.timers.orThrow(.noTimers) }

    /// nil: the current item.
    private func itemID(of target: PlayTarget) throws(Problem) -> ItemID? {
        switch target {
        case .current:
            if snapshot.queueLength > 0 { return nil }
            throw Problem(PlaybackError(.noSuchContent, "The queue is empty: there is nothing to play."))
        case .item(let id): return try item(id).item.id
        case .index(let index):
            if let item = queueWindow(offset: index, limit: 1).items.first { return item.id }
            throw Problem(PlaybackError(.outOfRange, "There is no index \(index) in the queue.", member: "index"))
        }
    }

    private var leader: String? { snapshot.settings.leader }

    /// The player that has the timer: this one, or its leader.
    private func holder(of timer: TimerID) throws(Problem) -> String {
        let own = try requireTimers().timers(of: id)
        return own.contains { $0.id == timer } ? id : leader ?? id
    }

    /// Checks the items of an alarm as a queue would. The fallback covers items that disappear later.
    private func set(
        _ edit: TimerEdit, _ items: [TimerItem], _ fallback: String?, _ output: String?, _ caller: Caller,
        _ reply: @escaping ServiceReply<PlayerTimer?>
    ) {
        if let output, !snapshot.output.devices.devices.contains(where: { $0.id == output }) {
            return reply(.failure(.unknownOutput(output)))
        }
        let last = fallback.map { [TimerItem.media(ItemDraft(uri: $0))] } ?? []
        server.resolve((items + last).map(\.request), AddingRules(), for: caller) { result in
            ask(reply) { () throws(Problem) in
                if case .failure(var problem) = result {
                    if problem.member?.hasPrefix("items[\(items.count)].") == true { problem.member = "fallback" }
                    throw problem
                }
                if case .change(let timer, _) = edit { return (edit, of: try holder(of: timer)) }
                return (edit, of: id)
            }
        }
    }
}

extension ServerService {
    /// The queue items of an alarm, without those that cannot be played. `reply` is called once, on any thread.
    public func expand(_ items: [TimerItem], reply: @escaping @Sendable ([ItemDraft]) -> Void) {
        resolve(items.map(\.request), AddingRules(skipsFaults: true), for: .local) { result in
            switch result {
            case .success(let found): reply(found.items)
            case .failure: reply([])
            }
        }
    }
}

extension TimerItem {
    public init(_ request: ItemRequest) {
        self =
            switch request {
            case .uri(let uri): .media(ItemDraft(uri: uri))
            case .media(let draft, _): .media(draft)
            case .folder(let path): .several(member: request.member, id: path)
            case .list(let locator): .several(member: request.member, id: locator.uri, headers: locator.headers)
            case .playlist(let id): .several(member: request.member, id: id.description)
            case .unknown(let member, let id): .several(member: member, id: id)
            case .library(let id): .several(member: request.member, id: id.description)
            }
    }

    fileprivate var request: ItemRequest {
        switch self {
        case .media(let draft): .media(draft, expands: nil)
        case .several("folder", let path, _): .folder(path)
        case .several("list", let uri, let headers): .list(MediaLocator(uri: uri, headers: headers ?? [:]))
        case .several("playlist", let id, _):
            PlaylistID(id).map { .playlist($0) } ?? .unknown(member: "playlist", id: id)
        case .several(let member, let id, _):
            CatalogueID(id).map { .library($0) }.flatMap { $0.member == member ? $0 : nil }
                ?? .unknown(member: member, id: id)
        }
    }
}
