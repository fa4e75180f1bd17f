// SPDX-License-Identifier: Apache-2.0

public import Playback

extension Problem {
    /// The only place where the player's errors become problems.
    public init(_ error: PlaybackError) {
        let kind = Self.kind(error.code)
        self.init(
            kind, error.code.rawValue, error.message, member: error.member,
            retryAfter: kind == .unavailable ? 2 : nil)
    }

    private static func kind(_ code: PlaybackError.Code) -> Kind {
        switch code {
        case .notFound, .forbidden, .privateAddress, .unreadable, .unsupported, .empty, .decoderFailed, .network,
            .bouncing, .tooLong, .incomplete:
            .unplayable
        case .unknownItem, .unknownOutput, .noSuchContent: .unknown
        case .outputUnavailable, .outputRefused, .shuttingDown: .unavailable
        case .notSeekable, .libraryMissing, .invalidState, .following, .sessionForbids, .nothingToUndo, .nothingToRedo:
            .conflict
        case .revisionMismatch: .stale
        case .queueFull: .tooLarge
        case .outOfRange: .invalid
        case .notSaved: .failed
        case .diskFull: .diskFull
        case .timedOut: .timedOut
        }
    }

    /// `member`: the member of the request that contains the address.
    public init(_ error: MediaError, member: String) {
        switch error.code {
        case .notFound: self = .notFound(error.message, code: "media-not-found")
        case .forbidden, .privateAddress: self.init(.forbidden, error.code.rawValue, error.message)
        case .network: self.init(.network, "network", error.message)
        case .cancelled: self.init(.unavailable, "shutting-down", error.message)
        case .unreadable, .unsupported, .empty, .decoderFailed:
            self = .invalid(member, error.message, code: error.code.rawValue)
        }
        self.member = member
    }

    static func naming<Value>(_ member: String, _ body: () throws(MediaError) -> Value) throws(Problem) -> Value {
        do throws(MediaError) { return try body() } catch { throw Problem(error, member: member) }
    }
}
