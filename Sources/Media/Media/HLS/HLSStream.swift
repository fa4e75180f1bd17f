// SPDX-License-Identifier: Apache-2.0

internal import Playback
internal import Kernel

/// An HLS stream, fetched ahead of its reader. What it does is decided by `HLSSchedule`; this class lends it a lock,
/// and a source for each segment.
///
/// One decode thread reads; `close` and `interrupt` come from any thread.
final class HLSStream: Sendable {
    let name: String
    let isLive: Bool
    /// Seconds of what has an end.
    let duration: Double?
    private let context: HLSContext
    private let playlistReference: HLSReference
    private let state: Monitor<State>

    private struct State {
        var schedule: HLSSchedule
        var segments: [Int64: HTTPSource] = [:]
        /// Keys and maps, the newest last.
        var small: [(part: HLSPart, source: HTTPSource)] = []
        /// What the reader has in hand.
        var inHand: HTTPSource?
        /// What a run that is opened ahead has in hand.
        var aheadInHand: HTTPSource?
        var playlist: HTTPSource?
        var isInterrupted = false
        var isClosed = false

        var sources: [HTTPSource] {
            Array(segments.values) + small.map(\.source) + [inHand, aheadInHand, playlist].compactMap { $0 }
        }
    }

    /// More keys and maps than this are fetched again when they are needed again.
    private static let mostSmall = 8

    /// `playlist` has just come from `reference`; begins to load at once.
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
        case gap(HLSSchedule.Slot)
        case jump(Int64)
        case end
    }

    /// Blocks until the segment is being fetched, or is none. `role` is that of the run that asks: one that is opened ahead
    /// takes what is fetched anyway, and leaves the place of the stream where it is.
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
            case .gap(let slot): return .success(.gap(slot))
            case .jump(let place): return .success(.jump(place))
            case .end: return .success(.end)
            case .failed(let error): return .failure(error)
            case .wait: return state.isInterrupted ? .failure(MediaError(.cancelled, "The read was interrupted.")) : nil
            }
        }
        return try result.get()
    }

    /// The turn of the run that is opened ahead has come: what it has in hand is the reader's, and what it waits for it may
    /// now have. `begin` makes it the current one, and returns how far it has read.
    func turn(_ begin: () -> (sequence: Int64, bytes: Int64)?) {
        state.change { state in
            let read = begin()
            if let source = state.aheadInHand { (state.inHand, state.aheadInHand) = (source, nil) }
            guard let (sequence, bytes) = read else { return }
            perform(state.schedule.turned(to: sequence, bytes: bytes, now: context.transport.now), &state)
        }
    }

    /// The run that is opened ahead is not wanted any more: ends what it waits for. `drop` is false when its turn has come.
    func abandon(_ drop: () -> Bool) {
        let source: HTTPSource? = state.change { state in
            guard drop() else { return nil }
            defer { state.aheadInHand = nil }
            // The reader may still come to it.
            return state.aheadInHand.flatMap { source in
                state.segments.values.contains { $0 === source } ? nil : source
            }
        }
        source?.close()
    }

    /// Where the run of this segment ends soon, if the next one is there.
    func nextRun(after sequence: Int64, of first: HLSSegment) -> Int64? {
        state.withLock { $0.schedule.nextRun(after: sequence, of: first) }
    }

    /// `role` is that of the run that has read.
    func hasRead(_ sequence: Int64, bytes: Int64, role: () -> HLSRun.Role) {
        state.withLock { state in
            guard role() == .current else { return }
            perform(state.schedule.read(sequence, bytes: bytes, now: context.transport.now), &state)
        }
    }

    /// The beginning of a live stream as of now, else of everything.
    var firstSequence: Int64 { state.withLock { $0.schedule.cursor } }

    func sequence(at seconds: Double) -> Int64? { state.withLock { $0.schedule.sequence(at: seconds) } }

    func start(of sequence: Int64) -> Double? { state.withLock { $0.schedule.slots.slot(sequence)?.start } }

    /// All of a key or a map. Blocks.
    func bytes(of part: HLSPart, limit: Int) throws(MediaError) -> [UInt8] {
        let source = state.change { small(part, &$0) }
        do throws(MediaError) {
            return try HLSContext.whole(source, from: part.range?.lowerBound ?? 0, limit: limit)
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

    /// True ends a blocked read, and every one until false, as cancelled.
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

    /// With the lock held. A source calls back from a turn of its own, so that no lock is taken within another the other
    /// way round.
    private func perform(_ actions: [HLSSchedule.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .open(let segment): open(segment, &state)
            case .close(let sequence):
                let source = state.segments.removeValue(forKey: sequence)
                // Who has it in hand reads on; who waits for it and is not wanted any more does not.
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
        let source = box.value
        state.change { state in
            guard let source, state.segments[sequence] === source else { return }
            perform(state.schedule.arrived(sequence, loading, now: context.transport.now), &state)
        }
    }

    private func small(_ part: HLSPart, _ state: inout State) -> HTTPSource {
        if let known = state.small.first(where: { $0.part == part }) { return known.source }
        let source = context.source(part, limits: HLSLimits.segment(context.limits, isLive: isLive)) { _ in }
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

    /// All of it is there, or as much as there is room for: reading it waits for nothing.
    private func playlistArrived(_ box: Weak<HTTPSource>) {
        guard let source = box.value, state.withLock({ $0.playlist === source })
        else { return }
        let result: Result<HLSMediaPlaylist, MediaError>
        do throws(MediaError) {
            result = .success(try context.mediaPlaylist(in: source, from: playlistReference.address))
        } catch {
            result = .failure(error)
        }
        state.change { state in
            guard state.playlist === source else { return }
            state.playlist = nil
            let now = context.transport.now
            switch result {
            case .success(let playlist): perform(state.schedule.playlistCame(playlist, now: now), &state)
            case .failure(let error): perform(state.schedule.playlistFailed(error, now: now), &state)
            }
        }
    }
}
