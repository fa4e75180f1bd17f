// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Playing voices, and idle ones that are kept for a while. Used on the announcer's thread.
final class VoicePool {
    /// Seconds for which an idle voice keeps its threads and its connection.
    static let warmth = 30.0

    private struct Place {
        let voice: any Voice
        let kind: VoiceKind
        let device: String?
        let isPinned: Bool
        /// The current sound; nil: idle since then.
        var use: Use?
        var freeSince: MonotonicTime
    }

    private struct Use {
        let sound: SoundID
        let share: VoiceBudget.Share
    }

    private let making: any VoiceMaking
    private let budget: VoiceBudget
    private let report: @Sendable (SoundID, VoiceReport) -> Void
    private let displaced: @Sendable (SoundID) -> Void
    private var places: [Place] = []
    private var rules = SessionRules()
    private var effects = EffectSettings.off

    /// `displaced`: a more important sound takes the voice; called from any thread.
    init(
        _ making: any VoiceMaking, _ budget: VoiceBudget, report: @escaping @Sendable (SoundID, VoiceReport) -> Void,
        displaced: @escaping @Sendable (SoundID) -> Void
    ) {
        self.making = making
        self.budget = budget
        self.report = report
        self.displaced = displaced
    }

    func play(
        _ sound: Sound, id: SoundID, _ importance: SoundImportance, on device: String?, isPinned: Bool = false
    ) {
        let kind = importance.kind
        let free = places.firstIndex {
            $0.use == nil && $0.kind == kind && $0.device == device && $0.isPinned == isPinned
        }
        let displace = { @Sendable [displaced] in displaced(id) }
        guard let share = budget.begin(importance, isWarm: free != nil, displace: displace) else {
            let error = PlaybackError(
                .outputUnavailable, "This server plays \(VoiceBudget.playing) sounds beside the music, the maximum.")
            return report(id, .failed(error))
        }
        let index: Int
        if let free {
            index = free
        } else {
            guard let voice = making.voice(kind, on: device, isPinned: isPinned, rules: rules, report: report) else {
                budget.giveBack(share)
                let error = PlaybackError(
                    .outputUnavailable, "The server has too few threads or descriptors for another sound.")
                return report(id, .failed(error))
            }
            if effects != .off { voice.apply(effects) }
            index = places.count
            places.append(
                Place(voice: voice, kind: kind, device: device, isPinned: isPinned, use: nil, freeSince: .now))
        }
        places[index].use = Use(sound: id, share: share)
        places[index].voice.play(sound, id: id)
    }

    func pause(_ id: SoundID) { voice(of: id)?.pause() }
    func resume(_ id: SoundID) { voice(of: id)?.resume() }

    /// The sound has ended, or is to be stopped.
    func release(_ id: SoundID, stops: Bool, now: MonotonicTime) {
        guard let index = places.firstIndex(where: { $0.use?.sound == id }), let use = places[index].use else { return }
        if stops { places[index].voice.stop() }
        places[index].use = nil
        places[index].freeSince = now
        // Enough idle voices are kept; this one ends with its fade.
        if !budget.rest(use.share) { Self.end(places.remove(at: index).voice)?.detach() }
    }

    func apply(_ rules: SessionRules) {
        self.rules = rules
        for place in places { place.voice.apply(rules) }
    }

    func apply(_ effects: EffectSettings) {
        guard effects != self.effects else { return }
        self.effects = effects
        for place in places { place.voice.apply(effects) }
    }

    private func voice(of id: SoundID) -> (any Voice)? { places.first { $0.use?.sound == id }?.voice }

    // MARK: The end

    /// Ends voices that were idle for too long.
    func cool(now: MonotonicTime) {
        let cold = places.filter { $0.use == nil && now.seconds(since: $0.freeSince) >= Self.warmth }
        guard !cold.isEmpty else { return }
        places.removeAll { place in cold.contains { $0.voice === place.voice } }
        for place in cold {
            budget.giveBackWarm()
            Self.end(place.voice)?.detach()
        }
    }

    var nextDeadline: MonotonicTime? {
        places.filter { $0.use == nil }.map { $0.freeSince.advanced(bySeconds: Self.warmth) }.min()
    }

    /// Blocks until all are silent.
    func endAll() {
        let ending = places.map { Self.end($0.voice) }
        for place in places {
            if let use = place.use { budget.giveBack(use.share) } else { budget.giveBackWarm() }
        }
        places = []
        for thread in ending { thread?.join() }
    }

    /// On a thread of its own, as it blocks. Without free threads it runs here.
    private static func end(_ voice: any Voice) -> NamedThread? {
        let thread = NamedThread(ifPossible: "voice-end") { voice.end() }
        if thread == nil { voice.end() }
        return thread
    }
}
