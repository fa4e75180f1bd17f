// SPDX-License-Identifier: Apache-2.0

import HTTP

/// Who has asked, for work that takes long: whether they still wait, and what part of the threads they may take.
struct APIClient: Sendable {
    /// Jobs of one kind at the same time for one address that is not this machine's.
    static let running = 2
    static let waiting = 32

    private let recipient: (any HTTPRecipient)?
    let shares: [JobShare]

    init(_ request: HTTPRequest) {
        recipient = request.recipient
        var shares: [JobShare] = []
        if let recipient, recipient.keepsOrder {
            shares.append(JobShare(name: "channel \(ObjectIdentifier(recipient))", running: 1))
        }
        // However many channels it opens.
        if case .remote(let address) = request.peer {
            shares.append(JobShare(name: "client \(address)", running: Self.running, waiting: Self.waiting))
        }
        self.shares = shares
    }

    /// A program of this machine that waits for its answer.
    init() {
        recipient = nil
        shares = []
    }

    var isGone: Bool { recipient?.isGone ?? false }
}

extension HTTPRequest {
    var client: APIClient { APIClient(self) }
}
