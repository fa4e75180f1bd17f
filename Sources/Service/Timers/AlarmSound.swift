// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Plays one stage of an alarm.
struct AlarmSound: Sendable {
    let alarm: Alarm
    let stage: AlarmRing.Stage
    let player: Player
    /// Resolves the items.
    let server: ServerService?
    /// Called once, on any thread, when the player has performed or refused the stage.
    let taken: @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void

    /// `rises`: the volume rises to the alarm's level; otherwise it stays.
    func play(rises: Bool) {
        switch stage {
        case .kept:
            let current = player.snapshot.item?.item.id.number
            guard let current, alarm.kept?.contains(current) ?? false else { return refuse("The queue was replaced.") }
            play(nil, rises: rises)
        case .items where alarm.items.isEmpty: play(nil, rises: rises)
        case .items, .fallback:
            let fallback = TimerItem.media(ItemDraft(uri: alarm.fallback ?? AlarmTone.uri))
            guard let server else { return refuse("The server is not ready.") }
            server.expand(stage == .items ? alarm.items : [fallback]) { drafts in
                guard !drafts.isEmpty else { return refuse("The alarm's items do not exist.") }
                play(drafts, rises: rises)
            }
        case .tone: play([ItemDraft(uri: AlarmTone.uri, title: "Alarm")], rises: rises)
        }
    }

    func repeatItems(from target: PlayTarget) {
        // The player returned the output when the items ended.
        player.perform(.borrowOutput(alarm.output))
        player.perform(.play(target, position: nil), reply: performed)
    }

    /// `drafts`: nil plays the present queue.
    private func play(_ drafts: [ItemDraft]?, rises: Bool) {
        let snapshot = player.snapshot
        var patch = SettingsPatch()
        if rises {
            patch.volume = Level.amplitude(alarm.level)
            patch.muted = false
        }
        let sound = { @Sendable in
            player.perform(.borrowOutput(alarm.output))
            // A queue that plays already keeps its volume.
            if rises, drafts != nil || snapshot.status != .playing { player.perform(.rise(over: alarm.ramp)) }
            if let drafts {
                player.perform(.edit(.replace(drafts, startIndex: 0), expected: nil, play: true), reply: performed)
            } else {
                player.perform(.play(.current, position: nil), reply: performed)
            }
        }
        guard snapshot.settings.leader != nil else {
            player.perform(.apply(patch))
            return sound()
        }
        // A follower first has to leave its group.
        patch.leader = .some(nil)
        player.perform(.apply(patch)) { _ in sound() }
    }

    private func refuse(_ sentence: String) { performed(.failure(PlaybackError(.notFound, sentence))) }

    private func performed(_ result: Result<PlayerSnapshot, PlaybackError>) {
        // A refused stage returns the output.
        if case .failure = result, alarm.output != nil { player.perform(.borrowOutput(nil)) }
        taken(result)
    }
}
