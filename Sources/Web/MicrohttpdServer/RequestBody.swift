// SPDX-License-Identifier: Apache-2.0

internal import HTTP
internal import Synchronization

/// Collects the body of one request, within the limits of its route and of the server. On the connection's thread.
struct RequestBody: ~Copyable {
    /// Smaller bodies are not counted, so that large ones cannot crowd them out.
    static let small = 64 * 1024

    private(set) var bytes: [UInt8] = []
    /// Sent once the rest of the body, which is dropped, has arrived: libmicrohttpd accepts no response before.
    private(set) var refusal: HTTPResponse?
    /// The head was checked, as for every large body.
    var isScreened = false
    private var limit: Int
    private var announced = 0
    private var discarded = 0
    private var isCounted = false
    private let core: ServerCore
    private let counted: CountedBytes

    init(core: ServerCore, counted: CountedBytes) {
        self.core = core
        self.counted = counted
        limit = core.configuration.bodyLimit
    }

    mutating func begin(limit: Int, announced: Int) {
        self.limit = limit
        self.announced = min(announced, limit)
    }

    /// Whether `count` more bytes make this a large body whose head was not checked yet.
    func isUnscreened(with count: Int) -> Bool {
        !isScreened && refusal == nil && bytes.count + count > Self.small
    }

    mutating func refuse(_ response: HTTPResponse) {
        refusal = response
        bytes = []
        counted.release()
    }

    /// False if the connection must be closed, as the dropped bytes exceed the server's limit.
    mutating func append(_ new: UnsafeRawBufferPointer) -> Bool {
        if refusal == nil, bytes.count + new.count > limit { refuse(.tooLarge(limit: limit)) }
        if refusal == nil, bytes.count + new.count > Self.small,
            !counted.add(isCounted ? new.count : bytes.count + new.count)
        {
            refuse(.busy("Too many large requests are under way."))
        }
        guard refusal == nil else {
            discarded += new.count
            return discarded <= core.configuration.bodyLimit
        }
        if bytes.count + new.count > Self.small {
            // Reserves all at once: pages that are never written cost nothing.
            if !isCounted { bytes.reserveCapacity(max(announced, bytes.count + new.count)) }
            isCounted = true
        }
        bytes.append(contentsOf: new)
        return true
    }

    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

/// One request's share of the server's budget for large bodies. Any thread.
final class CountedBytes: Sendable {
    private let core: ServerCore
    private let count = Atomic(0)

    init(core: ServerCore) { self.core = core }

    deinit { release() }

    /// False if the budget is exhausted.
    func add(_ bytes: Int) -> Bool {
        guard core.bodies.withLock({ $0.take(bytes) }) else { return false }
        count.add(bytes, ordering: .relaxed)
        return true
    }

    func release() {
        let bytes = count.exchange(0, ordering: .relaxed)
        if bytes > 0 { core.bodies.withLock { $0.giveBack(bytes) } }
    }
}
