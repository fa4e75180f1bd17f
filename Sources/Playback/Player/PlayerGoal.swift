// SPDX-License-Identifier: Apache-2.0

/// The state that the user wants. Together with the reports of decoder and stream it gives the status.
enum PlayerGoal {
    case idle
    /// Load the item, silent until a play command.
    case hold
    case play
    case pause(StatusReason)
    /// Stopping: `rest` follows.
    case stop(Stop)
    case rest(Rest)

    enum Stop {
        case atOnce
        /// Plays the written frames. The decoders have ended.
        case drain
        /// At once, during a drain or a scan: to play on, the item is loaded again.
        case unload
    }

    enum Rest {
        case stopped(StatusReason)
        case completed
        case failed(PlaybackError)
    }

    var failure: PlaybackError? { if case .rest(.failed(let error)) = self { error } else { nil } }

    var wantsSound: Bool { if case .play = self { true } else { false } }

    /// No item is loaded or loading.
    var isAtRest: Bool {
        switch self {
        case .idle, .rest: true
        case .hold, .play, .pause, .stop: false
        }
    }

    /// An item is loaded or loading, and stays so.
    var keepsItem: Bool {
        switch self {
        case .hold, .play, .pause: true
        case .idle, .stop, .rest: false
        }
    }
}
