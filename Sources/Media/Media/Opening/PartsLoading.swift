// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Playback
internal import Synchronization

/// Loading progress of several media that play as one, in their total time. Any thread may call this.
final class PartsLoading: Sendable {
    /// `MediaLoading` units per second.
    private static let units = 1_000.0

    private struct Part {
        /// nil until it is open.
        var media: MediaDescription?
        /// nil for a file, which needs no loading.
        var loading: MediaLoading?

        var length: Double? { media?.durationInSeconds }
        var isWhole: Bool { loading?.isSatisfied ?? true }
        /// nil for a file, and while bytes cannot be mapped to time.
        var map: LoadedMap? {
            guard let media, let loading else { return nil }
            return LoadedMap(media, loading)
        }
        /// Seconds from the part's beginning that can be read without waiting.
        var loadedEnd: Double {
            guard let loading, let map else { return length ?? 0 }
            return map.loaded(loading).end
        }
    }

    private struct State {
        var parts: [Part]
        /// Index of the current part.
        var current = 0
        /// Still to be reported.
        var news: MediaLoading?
        /// A thread is reporting; it also reports values that arrive meanwhile.
        var isReporting = false
    }

    private let state: Mutex<State>
    private let report: @Sendable (MediaLoading) -> Void

    /// `report` is called once all parts are open, from one thread at a time, and always gets the last value.
    init(count: Int, report: @escaping @Sendable (MediaLoading) -> Void) {
        state = Mutex(State(parts: Array(repeating: Part(), count: count)))
        self.report = report
    }

    func receive(_ loading: MediaLoading, of index: Int) { change { $0.parts[index].loading = loading } }

    func opened(_ media: MediaDescription, _ index: Int) { change { $0.parts[index].media = media } }

    func entered(_ index: Int) { change { $0.current = index } }

    private func change(_ body: (inout State) -> Void) {
        let reports = state.withLock { state in
            body(&state)
            if let loading = Self.loading(state) { state.news = loading }
            defer { state.isReporting = true }
            return !state.isReporting
        }
        guard reports else { return }
        while let news = takeNews() { report(news) }
    }

    private func takeNews() -> MediaLoading? {
        state.withLock { state in
            defer { state.news = nil }
            state.isReporting = state.news != nil
            return state.news
        }
    }

    /// nil if all parts are files, or while some are not open.
    private static func loading(_ state: State) -> MediaLoading? {
        let parts = state.parts
        guard parts.contains(where: { $0.loading != nil }), parts.allSatisfy({ $0.media != nil }) else { return nil }
        func units(_ seconds: Double) -> Int64 { Int64(clamping: (max(0, seconds) * Self.units).rounded()) }

        var end = 0.0
        for part in parts {
            end += part.isWhole ? part.length ?? part.loadedEnd : part.loadedEnd
            if !part.isWhole { break }
        }
        var place = parts[..<state.current].reduce(0) { $0 + ($1.length ?? $1.loadedEnd) }
        if let loading = parts[state.current].loading, let map = parts[state.current].map {
            place += max(0, map.loaded(loading).end - map.seconds(bytes: loading.bytesAhead))
        }
        let lengths = parts.compactMap(\.length)
        let speed = parts.reduce(0.0) { $0 + ($1.map?.seconds(bytes: 1) ?? 0) * ($1.loading?.bytesPerSecond ?? 0) }
        var loading = MediaLoading(
            ranges: [0..<max(1, units(end))],
            size: lengths.count == parts.count ? units(lengths.reduce(0, +)) : nil,
            place: min(units(place), units(end)),
            bytesPerSecond: speed * Self.units, isStalled: parts.contains { $0.loading?.isStalled == true },
            isSatisfied: parts.allSatisfy(\.isWhole))
        loading.unitsPerSecond = Self.units
        return loading
    }
}
