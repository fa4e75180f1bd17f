// SPDX-License-Identifier: Apache-2.0

import HTTP
import Kernel
import Service

/// Decides where a body is read: small ones at once, large ones on a background thread, which gives the memory back that
/// they took.
struct Dispatcher: Sendable {
    static let largestAtOnce = 64 * 1024

    let worker = SupervisedWorker("api-bodies", seconds: nil, afterEach: { Heap.giveBack() })

    func run(
        _ request: HTTPRequest, _ job: @escaping @Sendable () -> Void,
        orElse refuse: @escaping @Sendable (Problem) -> Void
    ) {
        if request.body.count <= Self.largestAtOnce { return job() }
        let caller = request.caller
        let isTaken = worker.submit { caller.isGone ? refuse(.clientGone) : job() }
        if !isTaken { refuse(.busy("Too many large requests are under way.")) }
    }
}
