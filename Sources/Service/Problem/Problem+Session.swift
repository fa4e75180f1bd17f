// SPDX-License-Identifier: Apache-2.0

internal import Playback

extension Problem {
    init(_ problem: SessionProblem) {
        switch problem {
        case .invalid(let member, let detail): self = .invalid(member, detail)
        case .unavailable(let detail): self.init(.conflict, "session-forbids", detail)
        case .noSuitableRoute(let detail): self.init(.unavailable, "no-suitable-route", detail, retryAfter: 2)
        case .notSaved(let detail): self.init(.failed, "not-saved", detail)
        }
    }

    init(_ error: AnnouncerError) {
        switch error {
        case .unknown(let id): self = .unknownSound(id.description)
        case .unknownOutput(let id):
            self = .notFound("There is no output \(id.prefix(100)).", code: "unknown-output")
        case .busy(let detail): self.init(.tooMany, "too-many-announcements", detail, retryAfter: 5)
        case .playback(let error):
            // The address stands in the request, so the answer is that of the queue. A later failure of a server is no fault of it.
            let code = MediaError.Code(rawValue: error.code.rawValue).flatMap { $0 == .network ? nil : $0 }
            self = code.map { Problem(MediaError($0, error.message), member: "uri") } ?? Problem(error)
        case .playerRemoved: self = .notFound("The player was removed.", code: "unknown-player")
        case .shuttingDown: self.init(.unavailable, "shutting-down", "The server is going down.", retryAfter: 2)
        }
    }

    public static func unknownSound(_ id: String) -> Problem {
        .notFound("There is no \(id.prefix(40)); it may have ended.", code: "unknown-sound")
    }
}
