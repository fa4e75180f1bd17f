// SPDX-License-Identifier: Apache-2.0

/// The client behind a request for long work: whether it still waits, and its share of the threads.
public struct Caller: Sendable {
    /// Concurrent jobs of one kind for one remote address.
    static let running = 2
    static let waiting = 32

    /// A program on this machine that waits for its answer.
    public static let local = Caller()

    let shares: [JobShare]
    private let isGoneNow: @Sendable () -> Bool

    /// - Parameters:
    ///   - channel: a connection with several requests, which are performed in order.
    ///   - address: nil for this machine.
    ///   - isGone: any thread; must not block.
    public init(
        channel: ObjectIdentifier? = nil, address: String? = nil, isGone: @escaping @Sendable () -> Bool = { false }
    ) {
        isGoneNow = isGone
        var shares: [JobShare] = []
        if let channel { shares.append(JobShare(name: "channel \(channel)", running: 1)) }
        // Over all channels of the client.
        if let address {
            shares.append(JobShare(name: "client \(address)", running: Self.running, waiting: Self.waiting))
        }
        self.shares = shares
    }

    public var isGone: Bool { isGoneNow() }
}
