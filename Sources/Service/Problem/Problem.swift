// SPDX-License-Identifier: Apache-2.0

/// Why a verb was refused. The service makes it; each door translates it once into its own protocol.
public struct Problem: Error, Sendable {
    /// The reaction that it asks of the caller.
    public enum Kind: Hashable, Sendable {
        /// The request cannot be read.
        case malformed
        case forbidden
        /// The name stands for nothing.
        case unknown
        /// Not possible in this state.
        case conflict
        /// The request was right, but the item to which it leads has failed.
        case unplayable
        /// The thing has changed since the caller read it: read it again.
        case stale
        case tooLarge
        case wrongType
        /// Behind the end.
        case outOfRange
        /// The request can be read, but not fulfilled: `member` names the value at fault.
        case invalid
        case tooMany
        /// The server has failed; nothing has changed.
        case failed
        /// Another server has failed.
        case network
        /// Not now: a later try may succeed.
        case unavailable
        case timedOut
        /// A refusal by the rules of the door's own protocol, by that protocol's number.
        case door(Int)
    }

    public var kind: Kind
    /// Stable, for programs.
    public var code: String
    /// A sentence, for people.
    public var detail: String
    /// Path of the offending member, or the name of the parameter.
    public var member: String?
    /// Seconds after which a new try makes sense.
    public var retryAfter: Int?
    /// The revision that the thing has now, of `stale`.
    public var revision: UInt64?
    /// Fields that a door adds for its own protocol; the service adds none.
    public var fields: [(name: String, value: String)] = []

    public init(_ kind: Kind, _ code: String, _ detail: String, member: String? = nil, retryAfter: Int? = nil) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.member = member
        self.retryAfter = retryAfter
    }
}

/// Comes exactly once, from any thread, and must not block.
public typealias ServiceReply<Value> = @Sendable (Result<Value, Problem>) -> Void

/// Calls `body`, whose problem is the reply.
func attempt<Value>(_ reply: ServiceReply<Value>, _ body: () throws(Problem) -> Void) {
    do throws(Problem) { try body() } catch { reply(.failure(error)) }
}

extension Problem {
    public static func malformed(_ detail: String) -> Problem { Problem(.malformed, "malformed", detail) }

    public static func notFound(_ detail: String, code: String = "not-found") -> Problem {
        Problem(.unknown, code, detail)
    }

    public static func tooLarge(_ detail: String, code: String = "too-large") -> Problem {
        Problem(.tooLarge, code, detail)
    }

    public static func invalid(_ member: String, _ detail: String, code: String = "invalid") -> Problem {
        Problem(.invalid, code, detail, member: member)
    }

    public static func busy(_ detail: String) -> Problem { Problem(.unavailable, "busy", detail, retryAfter: 1) }

    static func notSaved(_ detail: String) -> Problem { Problem(.failed, "not-saved", detail) }

    static let mainStays = Problem(.conflict, "main-player", "The player main cannot be removed.")

    static func unknownOutput(_ id: String) -> Problem {
        .invalid("output", "There is no output \(id.prefix(100)).", code: "unknown-output")
    }

    static func unknownTimer(_ id: String) -> Problem {
        .notFound("There is no timer \(id.prefix(40)).", code: "unknown-timer")
    }

    public static func unknownPlayer(_ id: String) -> Problem {
        .notFound("There is no player \(id.prefix(40)).", code: "unknown-player")
    }

    public static func unknownItem(_ id: String) -> Problem {
        .notFound("There is no item \(id.prefix(40)) in the queue.", code: "unknown-item")
    }

    public static func unknownPlaylist(_ id: String) -> Problem {
        .notFound("There is no playlist \(id.prefix(40)).", code: "unknown-playlist")
    }

    /// For the few who still read; most have closed the connection.
    public static let clientGone = Problem(
        .unavailable, "client-gone", "The connection was closed before it was this request's turn.")

    static let noLibrary = notFound(
        "There is no music library: the server runs without music folders or with --library off.", code: "no-library")
    static let noPlaylists = notFound("This server keeps no playlists.", code: "no-playlists")
}
