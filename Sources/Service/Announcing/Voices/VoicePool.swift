// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// Voices that play, and those that have played and stay warm for a while. Of the announcer's thread.
final class VoicePool {
    /// How long a voice that is not used keeps its threads and its connection.
    static let warmth = 30.0

    private struct Place {
        let voice: any Voice
        let kind: VoiceKind
        let device: String?
        /// What it plays; nil: it is free since then.
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

    /// `displaced`: it is to end, for a more important one; from any thread.
    init(
        _ making: any VoiceMaking, _ budget: VoiceBudget, report: @escaping @Sendable (SoundID, VoiceReport) -> Void,
        displaced: @escaping @Sendable (SoundID) -> Void
    ) {
        self.making = making
        self.budget = budget
        self.report = report
        self.displaced = displaced
    }

    func play(_ sound: Sound, id: SoundID, _ importance: SoundImportance, on device: String?) {
        let kind = importance.kind
        let free = places.firstIndex { $0.use == nil && $0.kind == kind && $0.device == device }
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
            guard let voice = making.voice(kind, on: device, rules: rules, report: report) else {
                budget.giveBack(share)
                let error = PlaybackError(
                    .outputUnavailable, "The server has too few threads or descriptors for another sound.")
                return report(id, .failed(error))
            }
            if effects != .off { voice.apply(effects) }
            index = places.count
            places.append(Place(voice: voice, kind: kind, device: device, use: nil, freeSince: .now))
        }
        places[index].use = Use(sound: id, share: share)
        places[index].voice.play(sound, id: id)
    }

    func pause(_ id: SoundID) { voice(of: id)?.pause() }
    func resume(_ id: SoundID) { voice(of: id)?.resume() }

    /// It has ended, or is to.
    func release(_ id: SoundID, stops: Bool, now: MonotonicTime) {
        guard let index = places.firstIndex(where: { $0.use?.sound == id }), let use = places[index].use else { return }
        if stops { places[index].voice.stop() }
        places[index].use = nil
        places[index].freeSince = now
        // Enough are warm; this one ends, with its fade.
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

    /// Gives back what was not used for a while.
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

    /// Blocks until all are silent, as long as the slowest takes.
    func endAll() {
        let ending = places.map { Self.end($0.voice) }
        for place in places {
            if let use = place.use { budget.giveBack(use.share) } else { budget.giveBackWarm() }
        }
        places = []
        for thread in ending { thread?.join() }
    }

    /// On a thread of its own, since it blocks. Where there can be no more threads it is done here.
    private static func end(_ voice: any Voice) -> NamedThread? {
        let thread = NamedThread(ifPossible: "voice-end") { voice.end() }
        if thread == nil { voice.end() }
        return thread
    }
}
