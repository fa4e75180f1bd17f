// SPDX-License-Identifier: Apache-2.0

/// The audio session.
extension ServerService {
    public func sessionStatus() throws(Problem) -> SessionStatus { try requireSession().status }

    /// The reply comes when all of it is saved and in force.
    public func changeSession(_ request: SessionRequest, reply: @escaping ServiceReply<SessionStatus>) {
        do throws(Problem) {
            try requireSession().change(request) { reply($0.mapError { Problem($0) }) }
        } catch {
            reply(.failure(error))
        }
    }

    private func requireSession() throws(Problem) -> LiveSession {
        guard let session = parts.session else {
            throw .notFound("This server has no audio session.", code: "no-session")
        }
        return session
    }
}
