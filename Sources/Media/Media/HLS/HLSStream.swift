// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// An HLS stream, fetched ahead of its reader. `HLSSchedule` decides what to do; this class adds a lock and the sources.
///
/// One decode thread reads; any thread may call `close` and `interrupt`.
final class HLSStream: Sendable {
    let name: String
    let isLive: Bool
    /// Seconds; nil for a live stream.
    let duration: Double?
    private let context: HLSContext
    private let playlistReference: HLSReference
    private let state: Monitor<State>

    private struct State {
        var schedule: HLSSchedule
        var segments: [Int64: HTTPSource] = [:]
        /// Keys and initialization sections, newest last.
        var small: [(part: HLSPart, source: HTTPSource)] = []
        /// Those that runs are reading, also once newer ones have taken their place.
        var smallInHand: [HTTPSource] = []
        /// The source that the current run reads.
        var inHand: HTTPSource?
        /// The source that a run opened ahead reads.
        var aheadInHand: HTTPSource?
        var playlist: HTTPSource?
        var isInterrupted = false
        var isClosed = false

        var sources: [HTTPSource] {
            Array(segments.values) + small.map(\.source) + smallInHand
                + [inHand, aheadInHand, playlist].compactMap { $0 }
        }
    }

    /// Keys and initialization sections kept. Older ones are fetched again if needed.
    private static let mostSmall = 8

    /// `playlist` has just arrived from `reference`. Starts to load at once.
    init(_ playlist: HLSMediaPlaylist, at reference: HLSReference, _ context: HLSContext) {
        name = context.name
        self.context = context
        playlistReference = reference
        let schedule = HLSSchedule(playlist, name: context.name, limits: context.hls, now: context.transport.now)
        isLive = schedule.isLive
        duration = schedule.isLive ? nil : schedule.slots.last?.end ?? 0
        state = Monitor(State(schedule: schedule))
        change { $0.begin() }
    }

    // MARK: Reading

    enum Next {
        case segment(HLSSchedule.Slot, HTTPSource)
        case end(HLSRun.End)
    }

    /// Blocks until the segment is being fetched, or is known not to exist. `role`: the calling run's. A run opened ahead only
    /// uses segments that are fetched anyway; it does not move the stream's cursor.
    func next(_ sequence: Int64, role: () -> HLSRun.Role) throws(MediaError) -> Next {
        let result: Result<Next, MediaError> = state.wait { state in
            let role = role()
            if state.isClosed || role == .dropped {
                return .failure(MediaError(.cancelled, "\(name) was closed."))
            }
            let answer: HLSSchedule.Answer
            if role == .ahead {
                answer = state.schedule.foresee(sequence)
            } else {
                let (wanted, actions) = state.schedule.want(sequence, now: context.transport.now)
                perform(actions, &state)
                answer = wanted
            }
            switch answer {
            case .segment(let slot):
                guard let source = state.segments[sequence] else { return nil }
                if role == .current { state.inHand = source } else { state.aheadInHand = source }
                return .success(.segment(slot, source))
            case .gap(let slot):
                let error = MediaError(.notFound, "\(name): its server lacks a part of it.")
                return .success(.end(.missing(slot, error, isBegun: false)))
            case .jump(let place): return .success(.end(.jump(place)))
            case .end: return .success(.end(.stream))
            case .failed(let error): return .failure(error)
            case .wait: return state.isInterrupted ? .failure(MediaError(.cancelled, "The read was interrupted.")) : nil
            }
        }
        return try result.get()
    }

    /// Makes the run opened ahead the current one. `begin` changes its role and returns how far it has read.
    func switchRun(_ begin: () -> (sequence: Int64, bytes: Int64)?) {
        state.change { state in
            let read = begin()
            if let source = state.aheadInHand { (state.inHand, state.aheadInHand) = (source, nil) }
            guard let (sequence, bytes) = read else { return }
            perform(state.schedule.switched(to: sequence, bytes: bytes, now: context.transport.now), &state)
        }
    }

    /// Drops the run opened ahead and ends its blocked reads. `drop` returns false if the run is the current one by now.
    func abandon(_ drop: () -> Bool) {
        let source: HTTPSource? = state.change { state in
            guard drop() else { return nil }
            defer { state.aheadInHand = nil }
            // The current run may still need the source.
            return state.aheadInHand.flatMap { source in
                state.segments.values.contains { $0 === source } ? nil : source
            }
        }
        source?.close()
    }

    /// The first segment of the next run, if it starts soon and is complete.
    func nextRun(after sequence: Int64, of first: HLSSegment) -> Int64? {
        state.withLock { $0.schedule.nextRun(after: sequence, of: first) }
    }

    /// `role`: the calling run's.
    func hasRead(_ sequence: Int64, bytes: Int64, role: () -> HLSRun.Role) {
        state.withLock { state in
            guard role() == .current else { return }
            perform(state.schedule.read(sequence, bytes: bytes, now: context.transport.now), &state)
        }
    }

    /// The segment to start with.
    var firstSequence: Int64 { state.withLock { $0.schedule.cursor } }

    func sequence(at seconds: Double) -> Int64? { state.withLock { $0.schedule.sequence(at: seconds) } }

    func start(of sequence: Int64) -> Double? { state.withLock { $0.schedule.slots.slot(sequence)?.start } }

    /// A whole key or initialization section. Blocks.
    func bytes(of part: HLSPart, limit: Int, as purpose: String) throws(MediaError) -> [UInt8] {
        let found: HTTPSource? = state.change { state in
            guard !state.isClosed else { return nil }
            let source = small(part, &state)
            state.smallInHand.append(source)
            return source
        }
        guard let source = found else { throw MediaError(.cancelled, "\(name) was closed.") }
        defer {
            state.withLock { state in
                guard let index = state.smallInHand.firstIndex(where: { $0 === source }) else { return }
                state.smallInHand.remove(at: index)
            }
        }
        do throws(MediaError) {
            return try source.whole(from: part.range?.lowerBound ?? 0, limit: limit, as: purpose)
        } catch {
            state.withLock { $0.small.removeAll { $0.source === source } }
            throw error
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func close() {
        let sources = state.change { state in
            state.isClosed = true
            perform(state.schedule.close(), &state)
            defer { (state.segments, state.small, state.playlist) = ([:], [], nil) }
            return state.sources
        }
        for source in sources { source.close() }
    }

    /// While true, every blocked or new read ends as cancelled.
    func interrupt(_ isInterrupted: Bool) {
        let sources = state.change { state in
            state.isInterrupted = isInterrupted
            return state.sources
        }
        for source in sources { source.interrupt(isInterrupted) }
    }

    // MARK: Fetching

    private func change(_ body: (inout HLSSchedule) -> [HLSSchedule.Action]) {
        state.change { state in perform(body(&state.schedule), &state) }
    }

    /// Called with the lock held. Reports of a source are posted to the transport's thread, so that this lock is never taken
    /// within a source's.
    private func perform(_ actions: [HLSSchedule.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .open(let segment): open(segment, &state)
            case .close(let sequence):
                let source = state.segments.removeValue(forKey: sequence)
                // A run that reads the source may finish it.
                if let source, source !== state.inHand, source !== state.aheadInHand { source.close() }
            case .fetchPlaylist: state.playlist = fetchPlaylist()
            case .wake(let time):
                context.transport.call(at: time) { [weak self] in
                    guard let self else { return }
                    self.change { $0.tick(now: self.context.transport.now) }
                }
            case .report(let loading): context.report(loading)
            }
        }
    }

    private func open(_ segment: HLSSegment, _ state: inout State) {
        if let map = segment.map { _ = small(map, &state) }
        if let key = segment.media.key { _ = small(HLSPart(reference: key.reference), &state) }
        let sequence = segment.sequence
        let box = Weak<HTTPSource>()
        let source = context.source(segment.media, limits: HLSLimits.segment(context.limits, isLive: isLive)) {
            [weak self] loading in
            guard let self else { return }
            context.transport.call(at: context.transport.now) { [weak self] in
                self?.arrived(loading, sequence, of: box)
            }
        }
        box.value = source
        source.interrupt(state.isInterrupted)
        state.segments[sequence] = source
    }

    private func arrived(_ loading: MediaLoading, _ sequence: Int64, of box: Weak<HTTPSource>) {
        // The box is read within the lock, which `open` holds until it has filled the box.
        state.change { state in
            guard let source = state.segments[sequence], source === box.value else { return }
            perform(state.schedule.arrived(sequence, loading, now: context.transport.now), &state)
        }
    }

    private func small(_ part: HLSPart, _ state: inout State) -> HTTPSource {
        if let known = state.small.first(where: { $0.part == part }) { return known.source }
        let source = context.source(part, limits: HLSLimits.segment(context.limits, isLive: isLive))
        source.interrupt(state.isInterrupted)
        state.small.append((part, source))
        if state.small.count > Self.mostSmall { state.small.removeFirst() }
        return source
    }

    private func fetchPlaylist() -> HTTPSource {
        let box = Weak<HTTPSource>()
        let part = HLSPart(reference: playlistReference)
        let source = context.source(part, limits: HLSLimits.playlist(context.limits)) { [weak self] loading in
            guard loading.isSatisfied, let self else { return }
            context.transport.call(at: context.transport.now) { [weak self] in self?.playlistArrived(box) }
        }
        box.value = source
        return source
    }

    /// The playlist is complete, or has filled its window: reading it does not block.
    private func playlistArrived(_ box: Weak<HTTPSource>) {
        guard let source = state.withLock({ $0.playlist }), source === box.value else { return }
        let result = Result { () throws(MediaError) in
            try context.mediaPlaylist(in: source, from: playlistReference.address)
        }
        state.change { state in
            guard state.playlist === source else { return }
            state.playlist = nil
            let now = context.transport.now
            switch result {
            case .success(let playlist): perform(state.schedule.playlistArrived(playlist, now: now), &state)
            case .failure(let error): perform(state.schedule.playlistFailed(error, now: now), &state)
            }
        }
    }
}
