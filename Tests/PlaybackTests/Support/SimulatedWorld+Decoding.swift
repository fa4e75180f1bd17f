// SPDX-License-Identifier: Apache-2.0

import Audio
import Kernel

@testable import Playback

/// The decoders: report the media that an item's name describes.
extension SimulatedWorld {
    mutating func load(_ item: QueueItem, _ generation: Generation, _ start: DecodeStart) {
        let media = Self.media(item.uri)
        loads += 1
        func open(_ media: Media, as described: Media, after seconds: Double) {
            sessions[generation] = Session(media: media)
            after(seconds, .decoding(generation, .opened(description(described))))
            reposition(generation, DecodeRun(), start, after: seconds)
        }
        switch media {
        case .never: sessions[generation] = Session(media: media)
        case .missing:
            sessions[generation] = Session(media: media)
            after(delay(), .decoding(generation, .failed(DecodeRun(), MediaError(.notFound, "no such file"), end: nil)))
        case .good: open(media, as: media, after: delay())
        case .damaged(let seconds): open(media, as: .good(seconds: seconds), after: delay())
        case .unsearchable(let seconds), .surround(let seconds):
            open(.good(seconds: seconds), as: media, after: delay())
        case .late(let seconds): open(.good(seconds: 10), as: .good(seconds: 10), after: seconds)
        case .starving, .live:
            var session = Session(media: media)
            if case .seconds(let place) = start.place { session.place = place }
            sessions[generation] = session
            after(0.01, .decoding(generation, .opened(description(media))))
            after(0.02, .decoding(generation, .primed(DecodeRun(), position: session.place)))
        }
    }

    func description(_ media: Media) -> MediaDescription {
        let format = AudioFormat(sampleRate: Self.sampleRate, layout: .stereo)
        switch media {
        case .live:
            var live = MediaDescription(format: format, duration: nil, isSeekable: false)
            live.broadcast = Broadcast()
            return live
        case .good(let seconds): return MediaDescription(format: format, duration: format.frames(seconds))
        case .surround(let seconds):
            let surround = AudioFormat(sampleRate: Self.sampleRate, layout: Self.surround)
            return MediaDescription(format: surround, duration: surround.frames(seconds))
        case .unsearchable(let seconds):
            return MediaDescription(format: format, duration: format.frames(seconds), isSeekable: false)
        case .damaged, .starving, .missing, .never, .late:
            return MediaDescription(format: format, duration: format.frames(60))
        }
    }

    mutating func reposition(
        _ generation: Generation, _ run: DecodeRun, _ start: DecodeStart, after pause: Double = 0
    ) {
        guard var session = sessions[generation] else { return }
        session.run = run
        if case .damaged = session.media {
            sessions[generation] = session
            return after(pause + delay(), .decoding(generation, .primed(run, position: 0)))
        }
        guard case .good(let seconds) = session.media else { return }
        session.tail = nil
        session.scan = start.scan
        session.loops = start.loops
        session.place =
            switch start.place {
            case .seconds(let place): min(max(0, place), seconds)
            case .progress(let progress): seconds * progress
            }
        sessions[generation] = session
        after(pause + delay(), .decoding(generation, .primed(run, position: session.place)))
    }

    /// The ring's reserve in seconds while a tail is held; smaller than a real one.
    private static let low = 0.25

    /// When the sink needs frames that are held back.
    var runningLow: MonotonicTime? {
        guard sink.isOpen, sink.isStarted, !sink.isDry, !sink.isFrozen,
            sessions.values.contains(where: { $0.tail != nil })
        else { return nil }
        let unread = (Double(sink.written) - max(sink.heard, Double(sink.cut))) / Double(Self.sampleRate)
        return now.advanced(bySeconds: max(0, unread - Self.low) + 0.000_1)
    }

    /// Writes held frames that are not wanted, or that the sink needs. Returns whether there were any.
    @discardableResult
    mutating func writeTails() -> Bool {
        for (generation, session) in sessions {
            guard let tail = session.tail else { continue }
            let kept = Int(session.held * Double(Self.sampleRate))
            let isLow = Double(sink.written) - max(sink.heard, Double(sink.cut)) <= Self.low * Double(Self.sampleRate)
            let frames = isLow ? tail.frames : max(0, tail.frames - kept)
            guard frames > 0 else { continue }
            let rest = Array(tail.take().dropFirst(frames * 2))
            sink.written += FrameCount(frames)
            guard rest.isEmpty else {
                rest.withUnsafeBufferPointer { tail.append($0) }
                return true
            }
            sessions[generation]?.tail = nil
            after(0.001, .decoding(generation, .ended(session.run, end: sink.written)))
            return true
        }
        return false
    }

    mutating func feed(_ generation: Generation, _ feed: Feed) {
        guard var session = sessions[generation], sink.isOpen else { return }
        if feed.decay > 0 {
            after(0.001, .decoding(generation, .ended(session.run, end: sink.written)))
            return sink.written += feed.decay
        }
        let tempo = feed.tempo
        session.tempo = tempo
        sink.written += feed.silence
        var under: FrameCount = 0
        if let overlap = feed.over {
            let rest = FrameCount(overlap.tail.take().count / 2)
            under = min(rest, overlap.frames)
            sink.written += rest - under
            for id in sessions.keys where sessions[id]?.tail === overlap.tail { sessions[id]?.tail = nil }
        }
        let start = sink.written
        after(0.001, .decoding(generation, .wrote(session.run, start: start, position: session.place, session.pace)))
        switch session.media {
        case .missing, .never, .late, .unsearchable, .surround: return
        case .starving(let seconds), .live(let seconds): sink.written += FrameCount(seconds * Double(Self.sampleRate))
        case .good(let seconds):
            let frames = FrameCount(
                (max(0, seconds - session.place) / session.stretch * Double(Self.sampleRate)).rounded())
            // The sink receives the first half second.
            let held = min(FrameCount(session.held * Double(Self.sampleRate)), frames - 500)
            if session.loops == 0, held > 0 {
                let tail = HeldTail(channelCount: 2)
                [Float](repeating: 0, count: Int(held) * 2).withUnsafeBufferPointer { tail.append($0) }
                session.tail = tail
                sessions[generation] = session
                sink.written += frames - held
                after(0.002, .decoding(generation, .held(session.run, tail, end: sink.written + held)))
                break
            }
            sink.written += frames
            // 50 repetitions stand for endless ones.
            for round in 0..<(session.loops < 0 ? 50 : session.loops) {
                after(
                    0.001 + 0.000_001 * Double(round + 1),
                    .decoding(generation, .wrote(session.run, start: sink.written, position: 0, .played(tempo.rate))))
                sink.written += FrameCount(seconds / tempo.rate * Double(Self.sampleRate))
            }
            after(0.002, .decoding(generation, .ended(session.run, end: sink.written)))
        case .damaged(let seconds):
            sink.written += FrameCount(seconds * Double(Self.sampleRate))
            after(
                0.002,
                .decoding(generation, .failed(session.run, MediaError(.unreadable, "damaged"), end: sink.written)))
        }
        if sink.isDry, sink.isStarted, sink.isAudible, let open = sink.generation {
            sink.isDry = false
            after(0.003, .output(.started(open)))
        }
    }
}
