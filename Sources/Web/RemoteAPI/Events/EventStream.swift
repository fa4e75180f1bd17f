// SPDX-License-Identifier: Apache-2.0

import HTTP

/// The event channel as Server-Sent Events: the same subscriber behind a streamed body.
final class EventStream: HTTPBodyStream {
    /// Bytes handed over at once, roughly.
    private static let chunkBytes = 32 * 1024

    private let feed: EventFeed

    init(_ feed: EventFeed) {
        self.feed = feed
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        feed.connect(wake: wake)
    }

    func next() -> HTTPBodyChunk {
        if feed.isEnding { return .finished }
        let isParting = feed.parting != nil
        var text: [UInt8] = []
        loop: while text.count < Self.chunkBytes {
            let (next, epoch) = feed.next()
            switch next {
            case .frame(let frame): frame.serverSentEvent(epoch: epoch, into: &text)
            case .heartbeat: text.append(contentsOf: ":\n\n".utf8)
            case .resync, .none: break loop
            }
        }
        if text.isEmpty { return isParting ? .finished : .wait }
        return .bytes(text)
    }

    func end() {
        feed.disconnect()
    }
}
