// SPDX-License-Identifier: Apache-2.0

public import HTTP
import Service

/// What is decided before a body is read.
extension RemoteAPI {
    public func bodyLimit(method: HTTPMethod, path: String) -> Int? {
        guard let (player, path) = players.find(path), case .route(let route, _) = player.router.match(method, path)
        else { return Route.smallBody }
        return route.largestBody
    }

    /// What would be refused whatever the body holds.
    public func refusal(of head: HTTPRequest) -> HTTPResponse? {
        guard let (player, path) = players.find(head.path),
            case .route(let route, let parameters) = player.router.match(head.method, path)
        else { return nil }
        var finish = Finish(requests, head.method, route: route.pattern)
        do throws(Problem) {
            finish.origin = try route.admit(head, gate).origin
            try JSONBody.checkType(of: head.headers)
            // The answer of an earlier one holds, whatever has changed since.
            if head.headers["Idempotency-Key"] == nil {
                try route.precondition?(APICall(request: head, parameters: parameters))
            }
            return nil
        } catch {
            return finish.completed(error.response)
        }
    }
}
