// SPDX-License-Identifier: Apache-2.0

internal import Audio

/// Seeks within the current item, and scans, which are sequences of seeks that the decoder makes.
extension PlayerCore {
    mutating func beginSeek(to place: DecodeStart.Place, scan rate: Double? = nil) {
        guard current != nil else { return }
        var (place, target) = (place, seconds(of: place))
        if rate == nil, let part = part(of: current?.item), target >= part.end {
            (place, target) = (.seconds(part.begin), part.begin)
        }
        let start = DecodeStart(place: place, scan: rate)
        if seek != nil, current?.isOpening == true {
            // The decoder is still seeking: it continues to the latest target from there.
            loaded.seek = LoadedTracks.Seek(target: target, followUp: start)
        } else {
            runSeek(start, target: target)
        }
        jumped()
        savePosition()
    }

    mutating func runSeek(_ start: DecodeStart, target: Double) {
        actions += loaded.dropUpcoming()
        loaded.prebuffering = nil
        if current?.isFed == true { flush() }
        loaded.seek = LoadedTracks.Seek(target: target)
        repositionCurrent(to: start.place, scan: start.scan)
        loaded.current?.startPosition = target
    }

    /// Seconds until a splice is audible: the sink keeps some frames, and the first new frames must be decoded.
    private static let spliceAhead = 0.05
    /// Minimum seconds in the ring after the splice.
    private static let spliceReserve = 0.04

    /// Decodes the current item with its new settings. The old frames sound until the new ones replace them. With too few
    /// old frames, this is a seek to the audible position.
    mutating func decodeAgain() {
        guard let (splice, place) = nextSplice else { return beginSeek(to: .seconds(position)) }
        repositionCurrent(to: .seconds(place), splice: splice)
    }

    private var nextSplice: (LoadedTrack.Splice, place: Double)? {
        guard case .play = goal, stream.transport == .running, stream.clock.isAdvancing, seek == nil, scan == nil,
            prebuffering == nil, timedStart == nil, upcoming?.isFed != true,
            let current, current.failure == nil, current.splice == nil, current.decayEnd == nil,
            current.media?.isSeekable == true, let format = stream.format, let ring = stream.ring,
            ring.capacity >= Int(format.frames(0.5))
        else { return nil }
        // Only in the last segment: no repetition of a loop may follow, so that a late splice has the right position.
        guard let segment = stream.timeline.last, current.holds(segment), case .played(let rate) = segment.pace else {
            return nil
        }
        let (heard, ahead, end) = (stream.timeline.heard, format.frames(Self.spliceAhead), ring.writeIndex)
        let index = max(heard + ahead, segment.start)
        guard index <= heard + 2 * ahead, end - index >= format.frames(Self.spliceReserve) else { return nil }
        let place = segment.position + format.seconds(index - segment.start) * rate
        let mediaEnd = part(of: current.item)?.end ?? current.duration ?? .infinity
        guard mediaEnd - place >= 0.5 * max(rate, tempo(of: current).rate) else { return nil }
        return (LoadedTrack.Splice(index: index, rate: rate, end: end), place)
    }

    private func seconds(of place: DecodeStart.Place) -> Double {
        switch place {
        case .seconds(let seconds): min(max(0, seconds), end)
        case .progress(let progress): (current?.duration ?? 0) * progress
        }
    }

    /// The end of the range for seeks. The first estimate of a remote item's duration does not count: it may be far off.
    private var end: Double {
        guard let current, let duration = current.duration else { return .infinity }
        let isEstimate = current.item.isRemote && current.media?.durationIsExact == false
        return isEstimate && current.loading?.unitsPerSecond == nil ? .infinity : duration
    }

    // MARK: Scanning

    mutating func beginScan(rate: Double) {
        guard current != nil else { return }
        let wasPlaying = scan?.wasPlaying ?? goal.wantsSound
        let place = DecodeStart.Place.seconds(position)
        scan = Scan(rate: rate, wasPlaying: wasPlaying)
        goal = .play
        beginSeek(to: place, scan: rate)
    }

    /// Continues at normal speed from the scan's position; silently if the player was silent before the scan.
    mutating func endScan() {
        guard scan != nil else { return }
        let place = DecodeStart.Place.seconds(position)
        dropScan()
        beginSeek(to: place)
    }

    /// A rewind that reaches the start plays on from there.
    mutating func finishScanAtStart() {
        guard scan != nil, seek == nil, let segment = stream.timeline.place?.segment,
            segment.generation == current?.generation, segment.pace.isPlayed
        else { return }
        dropScan()
        jumped()
    }

    /// Ends the scan. If the player was silent before the scan, it is paused.
    mutating func dropScan() {
        guard let scan else { return }
        self.scan = nil
        if !scan.wasPlaying { goal = .pause(.user) }
    }
}
