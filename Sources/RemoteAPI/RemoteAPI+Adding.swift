// SPDX-License-Identifier: Apache-2.0

public import Playback

extension RemoteAPI {
    /// Adds the items of an address to main's queue, as `POST /queue/items` does. For interfaces without HTTP. Never blocks;
    /// `reply` is called once, on any thread.
    public func add(
        _ uri: String, at place: InsertionPoint, expected: QueueRevision?, play: Bool,
        reply: @escaping @Sendable (Result<PlayerSnapshot, PlaybackError>) -> Void
    ) {
        let services = main.services
        let refuse = { @Sendable (problem: Problem) in reply(.failure(PlaybackError(problem))) }
        do throws(Problem) {
            try QueueItemExpansion(services: services).resolve(
                [.uri(uri)], AddingRules(), for: APIClient(), refuse: refuse
            ) { found in
                services.player.perform(
                    .edit(.insert(found.items, at: place), expected: expected, play: play), reply: reply)
            }
        } catch {
            refuse(error)
        }
    }
}

extension PlaybackError {
    fileprivate init(_ problem: Problem) {
        let code: Code =
            switch problem.status {
            case 404: .notFound
            case 503: .timedOut
            default: Code(rawValue: problem.code) ?? .unsupported
            }
        self.init(code, problem.detail)
    }
}
