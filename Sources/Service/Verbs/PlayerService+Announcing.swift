// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Sounds beside the player's music.
extension PlayerService {
    public func announcerStatus() throws(Problem) -> AnnouncerStatus { try requireAnnouncer().status }

    /// The reply comes when it is heard, waits in line or has failed. `untilEnd`: when it has ended.
    public func announce(
        _ request: AnnouncementRequest, untilEnd: Bool, reply: @escaping ServiceReply<AnnouncementOutcome>
    ) {
        ask(reply, request.sound) { $0.announce(request, untilEnd: untilEnd, reply: $1) }
    }

    public func play(_ sound: Sound, reply: @escaping ServiceReply<SoundEffect>) {
        ask(reply, sound) { $0.play(sound, reply: $1) }
    }

    public func cancelAnnouncement(_ id: SoundID, reply: @escaping ServiceReply<Void>) {
        ask(reply) { $0.cancelAnnouncement(id, reply: $1) }
    }

    public func cancelEffect(_ id: SoundID, reply: @escaping ServiceReply<Void>) {
        ask(reply) { $0.cancelEffect(id, reply: $1) }
    }

    private func requireAnnouncer() throws(Problem) -> Announcer {
        guard let announcer else { throw .notFound("This server announces nothing.", code: "no-announcer") }
        return announcer
    }

    /// Refuses addresses that can never be played, before anything ends for them.
    private func check(_ sound: Sound) throws(Problem) {
        for uri in sound.media {
            let member = uri == sound.chime ? "chime" : sound.following.isEmpty ? "uri" : "parts"
            _ = try Problem.naming(member) { () throws(MediaError) in try server.parts.media.address(uri) }
        }
    }

    private func ask<Value>(
        _ reply: @escaping ServiceReply<Value>, _ sound: Sound? = nil,
        _ command: (Announcer, @escaping Announcer.Reply<Value>) -> Void
    ) {
        do throws(Problem) {
            let announcer = try requireAnnouncer()
            if let sound { try check(sound) }
            command(announcer) { reply($0.mapError { Problem($0) }) }
        } catch {
            reply(.failure(error))
        }
    }
}
