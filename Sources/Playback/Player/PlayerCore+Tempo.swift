// SPDX-License-Identifier: Apache-2.0

/// Speed and pitch: the decoder's business. A change decodes again from the place that is heard.
extension PlayerCore {
    /// A station gives one second of sound in a second, so it is played as it is. So is everything in a session that
    /// measures.
    func tempo(of track: Track) -> Tempo {
        if track.isLive || rules.isUnprocessed { return .normal }
        return leaders?.tempo
            ?? settings.tempo(isSpeech: track.item.draft.isSpeech(track.media) ?? settings.playsSpeech)
    }

    /// The rate that is shown and set is that of what the current item is. Until that is known, nothing changes.
    mutating func reconcileSpeech() {
        guard let item = current?.item ?? queue.current, let isSpeech = item.draft.isSpeech(current?.media),
            isSpeech != settings.playsSpeech
        else { return }
        let rate = settings.playbackRate
        settings.playsSpeech = isSpeech
        if settings.playbackRate != rate { emit(.settings(settings)) }
    }

    mutating func reconcileTempo() {
        guard !goal.isAtRest, scan == nil else { return }
        if case .stop = goal { return }
        if let current, current.failure == nil, isStale(current) { beginSeek(to: .seconds(position)) }
        if let upcoming, isStale(upcoming) { dropUpcoming() }
    }

    private func isStale(_ track: Track) -> Bool { track.isFed && track.tempo != tempo(of: track) }

    /// Seconds until the end of the current item's media is heard.
    var secondsToEnd: Double? {
        current.flatMap { current in current.duration.map { ($0 - position) / tempo(of: current).rate } }
    }
}
