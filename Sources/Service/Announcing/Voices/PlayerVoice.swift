// SPDX-License-Identifier: Apache-2.0

public import Playback
internal import Synchronization

/// A voice implemented by a player with a queue of one item and no saved state.
public final class PlayerVoice: Voice {
    /// `media.role`: stays audible during a call, and is not silenced by exclusive players.
    public static let role = "event"

    private let player: Player
    private let reader: VoiceReader

    /// `environment`: its store is replaced with one that saves nothing. `isPinned`: sounds fail while its device is not
    /// there; its output must not use another one.
    public init(
        _ environment: Player.Environment, isPinned: Bool = false, rules: SessionRules,
        report: @escaping @Sendable (SoundID, VoiceReport) -> Void
    ) {
        var environment = environment
        environment.store = NoStore()
        let reader = VoiceReader(device: isPinned ? environment.device : nil, report)
        self.reader = reader
        player = Player(environment) { reader.receive($0) }
        apply(rules)
    }

    public func play(_ sound: Sound, id: SoundID) {
        var patch = SettingsPatch()
        patch.volume = sound.volume ?? 1
        player.perform(.apply(patch))
        let media = sound.media
        let item = ItemDraft(
            uri: media[0], headers: sound.headers,
            oneShot: OneShot(timeout: sound.patience, parts: Array(media.dropFirst())), reach: sound.reach,
            reference: id.number)
        player.perform(.edit(.replace([item], startIndex: nil), expected: nil, play: true)) { [reader] result in
            if case .failure(let error) = result { reader.refused(id, error) }
        }
    }

    public func pause() { player.perform(.pause) }

    public func resume() {
        player.perform(.play(.current, position: nil)) { [reader] result in
            if case .failure(let error) = result { reader.refused(nil, error) }
        }
    }

    public func stop() { player.perform(.stop(drain: false)) }

    public func apply(_ rules: SessionRules) {
        var rules = rules
        rules.role = Self.role
        // Its volume was requested; it is not part of a measurement.
        rules.isUnprocessed = false
        player.perform(.applyRules(rules))
    }

    public func apply(_ effects: EffectSettings) {
        var patch = EffectsPatch()
        patch.set(\.self, effects)
        player.perform(.changeEffects(.merge(patch)))
    }

    public func end() { player.shutdown() }
}

/// Converts a player's events to reports.
private final class VoiceReader: Sendable {
    private let report: @Sendable (SoundID, VoiceReport) -> Void
    /// The only device on which its sounds are heard; nil: they are heard on any.
    private let device: String?
    private let state = Mutex(State())

    private struct State {
        var playing: (item: ItemID, sound: SoundID)?
        /// `device` is not there.
        var isLost = false
    }

    init(device: String?, _ report: @escaping @Sendable (SoundID, VoiceReport) -> Void) {
        self.device = device
        self.report = report
    }

    /// One at a time and in order, from any thread.
    func receive(_ event: PlayerEvent) {
        switch event.kind {
        case .item(let current):
            guard let item = current?.item, let id = item.draft.reference.map(SoundID.init(number:)) else { return }
            state.withLock { $0.playing = (item.id, id) }
            reportLoss()
        case .output(let output):
            guard let device else { return }
            state.withLock { $0.isLost = output.missing == device }
            reportLoss()
        case .status(let status, _, let reason, _, let itemID, _, let error):
            guard let playing = state.withLock({ $0.playing }), playing.item == itemID,
                let news = report(status, reason, error)
            else { return }
            report(playing.sound, news)
        default: return
        }
    }

    private func reportLoss() {
        guard let sound = state.withLock({ $0.isLost ? $0.playing?.sound : nil }) else { return }
        report(sound, .failed(loss))
    }

    private var loss: PlaybackError {
        PlaybackError(
            .outputUnavailable, device.map { "The output \($0) was removed." } ?? "Its output device was removed.")
    }

    /// `id`: nil is the current sound.
    func refused(_ id: SoundID?, _ error: PlaybackError) {
        guard let id = id ?? state.withLock({ $0.playing?.sound }) else { return }
        report(id, .failed(state.withLock(\.isLost) ? loss : error))
    }

    private func report(
        _ status: PlayerStatus, _ reason: StatusReason?, _ error: PlaybackError?
    ) -> VoiceReport? {
        switch status {
        case .playing: return .heard
        case .completed: return .finished
        case .failed: return .failed(error ?? PlaybackError(.unreadable, "It cannot be played."))
        case .buffering, .seeking, .interrupted, .loading: return .silent
        case .paused:
            switch reason {
            case .session:
                return .failed(PlaybackError(.sessionForbids, "The session's category no longer plays."))
            case .routeLost: return .failed(loss)
            case .outputUnavailable:
                return .failed(PlaybackError(.outputUnavailable, "The sound server is not available."))
            default: return nil
            }
        case .idle, .ready, .stopping, .stopped: return nil
        }
    }
}

/// Saves nothing, as a voice has no lasting state.
private struct NoStore: PlayerStore {
    func load() -> SavedPlayer { SavedPlayer() }

    func save(_ changes: [SavedChange], completion: @escaping @Sendable (_ failure: SaveFailure?) -> Void) {
        completion(nil)
    }
}
