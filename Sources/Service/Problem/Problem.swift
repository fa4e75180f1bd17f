// SPDX-License-Identifier: Apache-2.0

internal import Playback

/// Why a verb was refused. The service creates it; each remote interface ("door") translates it once into its own
/// protocol.
public struct Problem: Error, Sendable {
    /// The reaction expected of the caller.
    public enum Kind: Hashable, Sendable {
        /// The request cannot be read.
        case malformed
        case forbidden
        /// The name refers to nothing.
        case unknown
        /// Not possible in this state.
        case conflict
        /// The request is valid, but its item failed.
        case unplayable
        /// The resource has changed since the caller read it: read it again.
        case stale
        case tooLarge
        case wrongType
        /// After the end.
        case outOfRange
        /// The request is readable but cannot be fulfilled: `member` names the value at fault.
        case invalid
        case tooMany
        /// The server has failed; nothing has changed.
        case failed
        /// The disk is full; nothing has changed.
        case diskFull
        /// Another server has failed.
        case network
        /// Not now: a later try may succeed.
        case unavailable
        case timedOut
        /// A refusal by the rules of the interface's protocol, with that protocol's number.
        case door(Int)
    }

    public var kind: Kind
    /// Stable, for programs.
    public var code: String
    /// A sentence, for people.
    public var detail: String
    /// Path of the member at fault, or the name of the parameter.
    public var member: String?
    /// Seconds after which the caller should try again.
    public var retryAfter: Int?
    /// The present revision, for `stale`.
    public var revision: UInt64?
    /// Header fields that an interface adds for its own protocol; the service adds none.
    public var fields: [(name: String, value: String)] = []

    public init(_ kind: Kind, _ code: String, _ detail: String, member: String? = nil, retryAfter: Int? = nil) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.member = member
        self.retryAfter = retryAfter
    }
}

/// Called exactly once, from any thread; it must not block.
public typealias ServiceReply<Value> = @Sendable (Result<Value, Problem>) -> Void

/// Calls `body`; if it throws, replies with its problem.
func attempt<Value>(_ reply: ServiceReply<Value>, _ body: () throws(Problem) -> Void) {
    do throws(Problem) { try body() } catch { reply(.failure(error)) }
}

extension Optional {
    /// The value; throws this problem if there is none.
    public func orThrow(_ problem: @autoclosure () -> Problem) throws(Problem) -> Wrapped {
        guard let self else { throw problem() }
        return self
    }
}

extension Problem {
    public static func malformed(_ detail: String) -> Problem { Problem(.malformed, "malformed", detail) }

    public static func notFound(_ detail: String, code: String = "not-found", member: String? = nil) -> Problem {
        Problem(.unknown, code, detail, member: member)
    }

    public static func tooLarge(_ detail: String, code: String = "too-large") -> Problem {
        Problem(.tooLarge, code, detail)
    }

    public static func invalid(_ member: String, _ detail: String, code: String = "invalid") -> Problem {
        Problem(.invalid, code, detail, member: member)
    }

    public static func busy(_ detail: String) -> Problem { Problem(.unavailable, "busy", detail, retryAfter: 1) }

    static func notSaved(_ detail: String, isDiskFull: Bool = false) -> Problem {
        isDiskFull ? Problem(.diskFull, "disk-full", detail) : Problem(.failed, "not-saved", detail)
    }

    /// `subject`: "The player cannot be saved".
    static func notSaved(_ subject: String, _ failure: SaveFailure) -> Problem {
        .notSaved("\(subject): \(failure.reason).", isDiskFull: failure.isDiskFull)
    }

    static let mainStays = Problem(.conflict, "main-player", "The player main cannot be removed.")

    static func unknownOutput(_ id: String) -> Problem {
        .notFound("There is no output \(id.prefix(100)).", code: "unknown-output", member: "output")
    }

    static func unknownTimer(_ id: String) -> Problem {
        .notFound("There is no timer or alarm \(id.prefix(40)).", code: "unknown-timer")
    }

    /// `member`: the member of the body that names it; nil: the path does.
    public static func unknownPlayer(_ id: String, member: String? = nil) -> Problem {
        .notFound("There is no player \(id.prefix(40)).", code: "unknown-player", member: member)
    }

    public static func unknownItem(_ id: String) -> Problem {
        .notFound("There is no item \(id.prefix(40)) in the queue.", code: "unknown-item")
    }

    public static func unknownPlaylist(_ id: String) -> Problem {
        .notFound("There is no playlist \(id.prefix(40)).", code: "unknown-playlist")
    }

    /// For the few clients that still read; most have closed the connection.
    public static let clientGone = Problem(
        .unavailable, "client-gone", "The connection was closed before it was this request's turn.")

    // Parts that a server may lack.

    static let noAnnouncer = notFound("This server has no announcements.", code: "no-announcer")
    static let noCache = notFound("There is no cache: the server runs without --cache on.", code: "no-cache")
    static let noLibrary = notFound(
        "There is no music library: the server runs without music folders or with --library off.", code: "no-library")
    static let noPlaylists = notFound("This server keeps no playlists.", code: "no-playlists")
    static let noRenders = notFound("This server has no renders.", code: "no-renders")
    static let noSession = notFound("This server has no audio session.", code: "no-session")
    static let noTimers = notFound("This server has no timers.", code: "no-timers")
    static let recordingDisabled = Problem(
        .forbidden, "recording-disabled", "This server does not record: it was started without --recordings DIR.")
}
