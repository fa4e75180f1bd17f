// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Messages to the announcer's thread.
enum AnnouncerMessage: Sendable {
    case announce(AnnouncementRequest, untilEnd: Bool, Announcer.Reply<AnnouncementOutcome>)
    case play(Sound, Announcer.Reply<SoundEffect>)
    case cancel(SoundID, VoiceKind, Announcer.Reply<Void>)
    case report(SoundID, VoiceReport)
    /// A more important sound, of any player, takes its voice.
    case displaced(SoundID)
    case applyRules(SessionRules)
    /// The effects of the music.
    case effectsChanged
    /// The result of the check of a waiting sound: its error, or nil.
    case checked(SoundID, PlaybackError?)
    /// The music has confirmed that its interruption has ended.
    case musicIsBack
    /// Ends all sounds with this result; `ended` is called when their ends are reported.
    case shutdown(SoundEnd, ended: @Sendable () -> Void)

    func refuse(_ error: AnnouncerError) {
        switch self {
        case .announce(_, _, let reply): reply(.failure(error))
        case .play(_, let reply): reply(.failure(error))
        case .cancel(_, _, let reply): reply(.failure(error))
        case .report, .displaced, .applyRules, .effectsChanged, .checked, .musicIsBack, .shutdown: break
        }
    }
}
