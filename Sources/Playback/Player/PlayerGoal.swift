// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// The intended state of the player. Together with the reports of track and stream, it gives the status.
enum PlayerGoal {
    case idle
    /// Load, and stay silent until a play command.
    case hold
    case play
    case pause(StatusReason)
    /// On the way to `rest`.
    case stop(drain: Bool, since: MonotonicTime)
    case rest(Rest)

    enum Rest {
        case stopped(StatusReason)
        case completed
        case failed(PlaybackError)
    }

    var failure: PlaybackError? { if case .rest(.failed(let error)) = self { error } else { nil } }

    var wantsSound: Bool { if case .play = self { true } else { false } }

    /// Neither loaded nor loading.
    var isAtRest: Bool {
        switch self {
        case .idle, .rest: true
        case .hold, .play, .pause, .stop: false
        }
    }
}
