// SPDX-License-Identifier: Apache-2.0

internal import HTTP
internal import Synchronization

/// Collects the body of one request, within the limits of its route and of the server. On the connection's thread, but for
/// `release`.
struct RequestBody: ~Copyable {
    /// Smaller ones are not counted: nobody with large ones keeps them out.
    static let small = 64 * 1024

    private(set) var bytes: [UInt8] = []
    /// What is answered once the rest has come; nothing more is kept then. Within a body libmicrohttpd takes no answer.
    private(set) var refusal: HTTPResponse?
    /// The head was looked at for what a large body needs.
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

    /// Whether so many bytes more make it a large one that nobody has looked at.
    func isUnscreened(with count: Int) -> Bool {
        !isScreened && refusal == nil && bytes.count + count > Self.small
    }

    mutating func refuse(_ response: HTTPResponse) {
        refusal = response
        bytes = []
        counted.release()
    }

    /// False: the connection is to be closed, as no more than a body may have is dropped.
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
            // Once, instead of by doubling: pages that are not written to cost nothing.
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

/// The part of one request in the server's budget of large bodies. Any thread.
final class CountedBytes: Sendable {
    private let core: ServerCore
    private let count = Atomic(0)

    init(core: ServerCore) { self.core = core }

    deinit { release() }

    /// False when there would be too many.
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
