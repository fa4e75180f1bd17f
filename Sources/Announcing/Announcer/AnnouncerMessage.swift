// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// What comes to the announcer's thread.
enum AnnouncerMessage: Sendable {
    case announce(AnnouncementRequest, untilEnd: Bool, Announcer.Reply<AnnouncementOutcome>)
    case play(Sound, Announcer.Reply<SoundEffect>)
    case cancel(SoundID, VoiceKind, Announcer.Reply<Void>)
    case report(SoundID, VoiceReport)
    /// A more important one of any player has its voice.
    case displaced(SoundID)
    case obey(SessionRules)
    /// Why it cannot be played, as far as can be told before its turn.
    case checked(SoundID, PlaybackError?)
    /// The music has taken in that it is no longer interrupted.
    case musicIsBack
    /// `told`: the end of all that was under way is.
    case shutdown(AnnouncerEnd, told: @Sendable () -> Void)

    func refuse(_ error: AnnouncerError) {
        switch self {
        case .announce(_, _, let reply): reply(.failure(error))
        case .play(_, let reply): reply(.failure(error))
        case .cancel(_, _, let reply): reply(.failure(error))
        case .report, .displaced, .obey, .checked, .musicIsBack, .shutdown: break
        }
    }
}
