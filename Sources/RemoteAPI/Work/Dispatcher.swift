// SPDX-License-Identifier: Apache-2.0

/// Decides where a body is read: small ones at once, large ones on a background thread.
struct Dispatcher: Sendable {
    static let largestAtOnce = 64 * 1024

    let worker: BackgroundWorker

    func run(size: Int, _ job: @escaping @Sendable () -> Void, orElse refuse: (Problem) -> Void) {
        if size <= Self.largestAtOnce { return job() }
        if !worker.submit(job) { refuse(.busy("Too many large requests are under way.")) }
    }
}
