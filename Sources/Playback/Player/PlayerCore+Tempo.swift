// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Speed and pitch, applied by the decoder. A change decodes again from slightly ahead of the audible position.
extension PlayerCore {
    /// Live streams and sessions that measure play at normal tempo.
    func tempo(of track: LoadedTrack) -> Tempo {
        if track.isLive || rules.isUnprocessed { return .normal }
        return leaderPlayback?.tempo
            ?? settings.tempo(isSpeech: track.item.draft.isSpeech(track.media) ?? settings.playsSpeech)
    }

    /// Shows the playback rate for the kind of the current item (music or speech), once that is known.
    mutating func reconcileSpeech() {
        guard let item = current?.item ?? queue.current, let isSpeech = item.draft.isSpeech(current?.media),
            isSpeech != settings.playsSpeech
        else { return }
        let rate = settings.playbackRate
        settings.playsSpeech = isSpeech
        if settings.playbackRate != rate { emit(.settings(settings)) }
    }

    mutating func reconcileTempo() {
        guard goal.keepsItem, scan == nil else { return }
        if let current, current.failure == nil, isStale(current) { decodeAgain() }
        if let upcoming, isStale(upcoming) { dropUpcoming() }
    }

    /// The sound has the set tempo. Silence always counts.
    var isInTempo: Bool {
        guard status == .playing, let current, let place = stream.timeline.place else { return true }
        return place.segment.pace.rate == tempo(of: current).rate
    }

    /// A pending splice delays the next change.
    private func isStale(_ track: LoadedTrack) -> Bool {
        track.isFed && track.splice == nil && track.tempo != tempo(of: track)
    }

    /// Seconds until the end of the current item is heard.
    var secondsToEnd: Double? {
        current.flatMap { current in current.duration.map { ($0 - position) / tempo(of: current).rate } }
    }
}

/// Effects: the player saves them and passes them to its output.
extension PlayerCore {
    /// Sends the effects to the output. A session that measures has none.
    mutating func applyEffects() {
        actions.append(.output(.setEffects(rules.isUnprocessed ? .off : settings.effects)))
    }

    /// After the last frame of a stream, writes silence into the ring while the effects decay.
    mutating func reconcileDecay() {
        guard seek == nil, let current, current.isWritten, let end = current.writtenEnd, let format = stream.format
        else { return }
        if case .stop(.drain) = goal, upcoming == nil, wantsDecay { return endTimeline(at: end, format) }
        guard case .play = goal else { return }
        guard isLastInStream else {
            // An item added at the last moment follows without a gap.
            guard current.decayEnd != nil, current.failure == nil, stream.timeline.heard < end,
                current.media?.isSeekable == true
            else { return }
            return runSeek(DecodeStart(place: .seconds(position)), target: position)
        }
        guard wantsDecay, format.seconds(end - stream.timeline.heard) <= feedAhead,
            !stream.timeline.isEmpty(current.generation, current.run, end: end)
        else { return }
        endTimeline(at: end, format)
        actions.append(.feed(current.generation, Feed(tempo: .normal, decay: format.frames(decay))))
    }

    private mutating func endTimeline(at end: FrameCount, _ format: AudioFormat) {
        let decayEnd = end + format.frames(decay)
        loaded.current?.decayEnd = decayEnd
        stream.timeline.end(at: end)
    }

    /// The written frames are played and the effects decay; nothing else is written.
    mutating func endDecoding() {
        let last = upcoming?.isFed == true ? upcoming : current
        if let last, last.isFed, !last.isWritten { actions.append(.cutFading) }
        let decaying = last.flatMap { $0.isFed && $0.decayEnd == nil && decay > 0 ? $0.generation : nil }
        for track in loaded.all where track.generation != decaying {
            actions.append(.unload(track.generation))
        }
        guard let decaying, let format = stream.format else { return }
        actions.append(.feed(decaying, Feed(tempo: .normal, decay: format.frames(decay))))
    }

    /// Seconds of effect tail. Only the leader knows whether an item follows a follower's item.
    private var decay: Double {
        let mayFollow = settings.leader != nil && leaderPlayback?.isLast != true
        return rules.isUnprocessed || mayFollow || sleep?.isLowered == true ? 0 : settings.effects.tail
    }

    var wantsDecay: Bool { decay > 0 && current?.decayEnd == nil }

    var hasDecayed: Bool { current?.decayEnd.map { stream.timeline.heard >= $0 } ?? true }

    mutating func commit(effects new: PlayerSettings, _ prepared: PreparedChange) {
        let isHeard = new.effects != settings.effects
        guard isHeard || new.effectPresets != settings.effectPresets else { return }
        settings.effects = new.effects
        settings.effectPresets = new.effectPresets
        if isHeard { applyEffects() }
        saveAgainIfOlder(prepared)
        emit(.effects(settings.effects))
    }
}
