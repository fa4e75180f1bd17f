// SPDX-License-Identifier: Apache-2.0

internal import Audio
internal import Kernel

/// The player's knowledge of its stream at the output.
enum OutputStream {
    case closed
    case opening(Generation, since: MonotonicTime)
    case open(Generation, AudioFormat, Transport)

    /// The sink's state of the stream. `since` bounds each wait.
    enum Transport: Equatable {
        /// Corked (or never started); the clock stands.
        case silent(since: MonotonicTime)
        case starting(since: MonotonicTime)
        case running
        /// Started, but there was nothing to play.
        case dry(since: MonotonicTime)
        /// `fade`: seconds that the fade-out takes.
        case pausing(since: MonotonicTime, fade: Double)
        /// Plays what the ring holds; nothing follows.
        case draining(since: MonotonicTime)
    }

    var generation: Generation? {
        switch self {
        case .closed: nil
        case .opening(let generation, _), .open(let generation, _, _): generation
        }
    }

    var format: AudioFormat? {
        if case .open(_, let format, _) = self { format } else { nil }
    }

    var transport: Transport? {
        get { if case .open(_, _, let transport) = self { transport } else { nil } }
        set {
            guard case .open(let generation, let format, _) = self, let newValue else { return }
            self = .open(generation, format, newValue)
        }
    }

    /// Our samples sound.
    var isSounding: Bool {
        switch transport {
        case .running, .pausing, .draining: true
        case .silent, .starting, .dry, nil: false
        }
    }

    /// On the way from silence to sound.
    var isStarting: Bool {
        switch transport {
        case .silent, .starting, .pausing: true
        case .running, .dry, .draining, nil: false
        }
    }
}
