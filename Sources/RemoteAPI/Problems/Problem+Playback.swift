// SPDX-License-Identifier: Apache-2.0

import Playback

extension Problem {
    /// The one place where the player's errors become statuses.
    init(_ error: PlaybackError) {
        let (status, title) = Self.status(error.code)
        self.init(status: status, code: error.code.rawValue, title: title, detail: error.message, member: error.member)
        if status == 503 { headers = [("Retry-After", "2")] }
    }

    private static func status(_ code: PlaybackError.Code) -> (Int, String) {
        switch code {
        // The request was right, but the item it leads to has failed.
        case .notFound, .forbidden, .privateAddress, .unreadable, .unsupported, .empty, .decoderFailed, .network,
            .bouncing:
            (409, "The item cannot be played")
        case .unknownItem, .noSuchContent, .unknownOutput: (404, "Not found")
        case .outputUnavailable, .outputRefused: (503, "Output unavailable")
        case .notSeekable, .invalidState, .following, .sessionForbids, .nothingToUndo, .nothingToRedo:
            (409, "Not possible in this state")
        case .revisionMismatch: (412, "Precondition failed")
        case .queueFull: (413, "Queue full")
        case .outOfRange: (422, "Invalid request")
        case .notSaved: (500, "Not saved")
        case .timedOut: (504, "Timed out")
        case .shuttingDown: (503, "Shutting down")
        }
    }

    init(_ error: MediaError, member: String) {
        switch error.code {
        case .notFound: self = .notFound(error.message, code: "media-not-found")
        case .forbidden, .privateAddress:
            self.init(status: 403, code: error.code.rawValue, title: "Forbidden", detail: error.message)
        case .network:
            self.init(status: 502, code: "network", title: "Network failure", detail: error.message)
        case .cancelled:
            self.init(status: 503, code: "shutting-down", title: "Shutting down", detail: error.message)
        case .unreadable, .unsupported, .empty, .decoderFailed:
            self = .invalid(member, error.message, code: error.code.rawValue)
        }
    }
}
