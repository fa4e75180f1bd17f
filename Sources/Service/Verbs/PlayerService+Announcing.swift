// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Sounds beside the player's music.
extension PlayerService {
    public func announcerStatus() throws(Problem) -> AnnouncerStatus { try requireAnnouncer().status }

    /// The reply comes when the announcement is heard, waits in line or has failed; with `untilEnd`, when it has ended.
    /// `request`: its options and the resolved sound.
    public func announce(
        _ order: SoundOrder, for caller: Caller, untilEnd: Bool, reply: @escaping ServiceReply<AnnouncementOutcome>,
        request: @escaping @Sendable (Sound) -> AnnouncementRequest
    ) {
        ask(order, caller, reply) { $0.announce(request($1), untilEnd: untilEnd, reply: $2) }
    }

    public func play(_ order: SoundOrder, for caller: Caller, reply: @escaping ServiceReply<SoundEffect>) {
        ask(order, caller, reply) { $0.play($1, reply: $2) }
    }

    public func cancel(_ id: SoundID, _ kind: VoiceKind, reply: @escaping ServiceReply<Void>) {
        ask(nil, reply) { $0.cancel(id, kind, reply: $1) }
    }

    private func requireAnnouncer() throws(Problem) -> Announcer { try announcer.orThrow(.noAnnouncer) }

    /// Refuses addresses that can never be played, before the present sound ends.
    private func ask<Value>(
        _ order: SoundOrder, _ caller: Caller, _ reply: @escaping ServiceReply<Value>,
        _ command: @escaping @Sendable (Announcer, Sound, @escaping Announcer.Reply<Value>) -> Void
    ) {
        server.sound(order, for: caller) { result in
            attempt(reply) { () throws(Problem) in
                let sound = try result.get()
                ask(order, reply) { command($0, sound, $1) }
            }
        }
    }

    /// `order`: nil if the verb has no sound.
    private func ask<Value>(
        _ order: SoundOrder?, _ reply: @escaping ServiceReply<Value>,
        _ command: (Announcer, @escaping Announcer.Reply<Value>) -> Void
    ) {
        attempt(reply) { () throws(Problem) in
            command(try requireAnnouncer()) { reply($0.mapError { removed(Problem($0, order)) }) }
        }
    }
}

extension ServerService {
    /// The media of a sound.
    fileprivate func sound(_ order: SoundOrder, for caller: Caller, reply: @escaping ServiceReply<Sound>) {
        let answer = { @Sendable [self] (member: String, media: () throws(Problem) -> [ItemDraft]) in
            reply(Result { () throws(Problem) in try sound(order, try media(), member) })
        }
        switch order.content {
        case .address(let uri): answer("uri") { () throws(Problem) in [try media(at: uri, "uri")] }
        case .parts(let uris):
            answer("parts") { () throws(Problem) in
                var media: [ItemDraft] = []
                for (index, uri) in uris.enumerated() { media.append(try self.media(at: uri, "parts[\(index)]")) }
                return media
            }
        case .items(let items):
            resolve(items, AddingRules(), for: caller) { result in
                answer("items") { () throws(Problem) in try result.get().items }
            }
        }
    }

    private func sound(_ order: SoundOrder, _ media: [ItemDraft], _ member: String) throws(Problem) -> Sound {
        guard let first = media.first else {
            throw Problem(.conflict, "nothing-to-play", "Nothing in it can be played.", member: member)
        }
        guard media.count <= Sound.maximumParts else {
            let detail = "A sound has at most \(Sound.maximumParts) parts; these are \(media.count)."
            throw .invalid(member, detail, code: "too-many-parts")
        }
        var sound = Sound(uri: first.uri, volume: order.volume)
        sound.following = media.dropFirst().map(\.uri)
        sound.timeout = order.timeout
        var all = media
        if let chime = order.chime {
            all.append(try self.media(at: chime, "chime"))
            sound.chime = all[media.count].uri
        }
        // The parts are loaded as one item, and secret headers of one server must not reach another.
        let remote = all.filter { MediaLocator.isNetwork($0.uri) }
        if let one = remote.first {
            guard remote.allSatisfy({ $0.headers == one.headers && $0.reach == one.reach }) else {
                throw .invalid(
                    member, "Parts with different headers or reach cannot be one sound.", code: "mixed-parts")
            }
            (sound.headers, sound.reach) = (one.headers, one.reach)
        }
        return sound
    }

    /// The media at an address or behind a reference. Refuses addresses that can never be media.
    func media(at uri: String, _ member: String) throws(Problem) -> ItemDraft {
        var draft = ItemDraft(uri: uri)
        if SealedAddresses.isReference(.uri(uri)) {
            guard case .media(let opened, expands: _)? = parts.sealed.opened(.uri(uri)) else {
                throw .unknownReference(member)
            }
            draft = opened
        }
        _ = try Problem.naming(member) { () throws(MediaError) in
            // Only alarms may play it.
            guard draft.uri != AlarmTone.uri else { throw MediaError(.notFound, "\(draft.uri) does not exist.") }
            return try parts.media.address(draft.uri)
        }
        return draft
    }
}
