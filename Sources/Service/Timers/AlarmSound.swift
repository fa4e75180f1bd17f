// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Plays one stage of an alarm: `prepare`, then `play`.
struct AlarmSound: Sendable {
    let timer: TimerID
    let alarm: Alarm
    let stage: AlarmRing.Stage
    /// The volume rises to the alarm's level; otherwise it stays.
    let rises: Bool
    let player: Player
    /// Resolves the items.
    let server: ServerService?
    /// Called on any thread, seconds later if a disk or a server is slow: `play` with these items follows, unless the alarm
    /// was ended or snoozed in the meantime, or the next stage plays. nil: the present queue.
    let prepared: @Sendable (AlarmSound, [ItemDraft]?) -> Void
    /// Called once, on any thread, when the player has performed or refused the stage.
    let taken: @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void

    func prepare() {
        switch stage {
        case .kept:
            let current = player.snapshot.item?.item.id.number
            guard let current, alarm.kept?.contains(current) ?? false else { return refuse("The queue was replaced.") }
            prepared(self, nil)
        case .items where alarm.items.isEmpty: prepared(self, nil)
        case .items, .fallback:
            let fallback = TimerItem.media(ItemDraft(uri: alarm.fallback ?? AlarmTone.uri))
            guard let server else { return refuse("The server is not ready.") }
            server.expand(stage == .items ? alarm.items : [fallback]) { drafts in
                guard !drafts.isEmpty else { return refuse("The alarm's items do not exist.") }
                prepared(self, drafts)
            }
        case .tone: prepared(self, [ItemDraft(uri: AlarmTone.uri, title: "Alarm")])
        case .queue: prepared(self, nil)
        }
    }

    func repeatItems(from target: PlayTarget) {
        // The player returned the output when the items ended.
        player.perform(.borrowOutput(alarm.output))
        player.perform(.play(target, position: nil), reply: performed)
    }

    /// `drafts`: nil plays the present queue.
    func play(_ drafts: [ItemDraft]?) {
        let snapshot = player.snapshot
        var patch = SettingsPatch()
        patch.isSavedLater = true
        guard snapshot.settings.leader == nil else {
            // A follower first has to leave its group.
            patch.leader = .some(nil)
            return player.perform(.apply(patch)) { result in
                if case .failure = result { taken(result) } else { prepared(self, drafts) }
            }
        }
        if rises {
            let volume = Level.amplitude(alarm.level)
            // A queue that plays already rises from its volume. Other sound is silent before the volume and the output change.
            if drafts == nil, snapshot.status == .playing {
                patch.volumeRamp = SettingsPatch.VolumeRamp(to: volume, seconds: alarm.ramp)
            } else {
                player.perform(.rise(over: alarm.ramp))
                patch.volume = volume
            }
            patch.muted = false
            player.perform(.apply(patch))
        }
        player.perform(.borrowOutput(alarm.output))
        if let drafts {
            player.perform(.edit(.replace(drafts, startIndex: 0), play: true), origin: .alarm, reply: performed)
        } else {
            player.perform(.play(.current, position: nil), reply: performed)
        }
    }

    private func refuse(_ sentence: String) { taken(.failure(PlaybackError(.notFound, sentence))) }

    private func performed(_ result: Result<PlayerSnapshot, PlaybackError>) {
        // A refused stage returns the output, and leaves no rise for the next sound.
        if case .failure = result {
            if alarm.output != nil { player.perform(.borrowOutput(nil)) }
            player.perform(.rise(over: nil))
        }
        taken(result)
    }
}
