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
    case applyRules(SessionRules)
    /// Of the music.
    case effectsChanged
    /// Why it cannot be played, as far as is known before its turn.
    case checked(SoundID, PlaybackError?)
    /// The music has taken in that it is no longer interrupted.
    case musicIsBack
    /// `ended` comes when the end of all that was under way is reported.
    case shutdown(AnnouncerEnd, ended: @Sendable () -> Void)

    func refuse(_ error: AnnouncerError) {
        switch self {
        case .announce(_, _, let reply): reply(.failure(error))
        case .play(_, let reply): reply(.failure(error))
        case .cancel(_, _, let reply): reply(.failure(error))
        case .report, .displaced, .applyRules, .effectsChanged, .checked, .musicIsBack, .shutdown: break
        }
    }
}
